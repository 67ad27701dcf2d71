/**
 * The call was not confirmed: the database or another Worker did not answer, or concurrent requests
 * won every round. Whether it was committed is unknown, and repeating it is safe. Callers receive
 * it as `try_again`.
 */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/** Concurrent requests changed the same rows in every round. */
export const lostRace = (rows: string) =>
  new Unavailable(`Concurrent requests kept changing ${rows}.`)
