// Checks values against JSON Schemas, using a validator that shares no code with zod.
import { type Schema, Validator } from '@cfworker/json-schema';

/** Compiles a schema to a function that returns the errors in a value, with their locations (`#/time/tz: ...`). */
export function schemaCheck(schema: object): (value: unknown) => readonly string[] {
  const validator = new Validator(schema as Schema, '2020-12', false);
  return (value) =>
    validator.validate(value).errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}
