import { UsageError } from "../errors.ts";

/** A command was called with arguments that don't fit its declaration. Printed with the usage line of the command. */
export class ArgumentError extends UsageError {}
