import { VERSION } from "../../../version.ts";
import { command } from "../../command.ts";

export const commands = {
  version: command({
    summary: "Prints the version",
    run: () => console.log(VERSION),
  }),
};
