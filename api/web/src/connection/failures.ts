/** The service did not answer at all. */
export class Unreachable extends Error {}

/** The service wants a key, or another one. */
export class KeyNeeded extends Error {}

/** The service answered with an error. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export type Failure = Unreachable | KeyNeeded | Refused;

export function isFailure(error: unknown): error is Failure {
  return error instanceof Unreachable || error instanceof KeyNeeded || error instanceof Refused;
}
