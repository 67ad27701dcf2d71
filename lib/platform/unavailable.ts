/**
 * A call was not confirmed: the database or another Worker did not respond, or concurrent requests
 * interfered in every round. It may have been committed, and repeating it is safe. Callers receive
 * `try_again`.
 */
export class Unavailable extends Error {
  override name = 'Unavailable'
}

/** Concurrent requests changed the same rows in every round. */
export const lostRace = (rows: string) =>
  new Unavailable(`Concurrent requests kept changing ${rows}.`)
