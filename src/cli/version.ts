import { VERSION } from "../version.ts";
import { readArguments } from "./arguments.ts";

export function printVersion(args: string[]): void {
  readArguments(args, {});
  console.log(VERSION);
}
