/** The database did not answer in time, or in a way that proves nothing. Whether it committed is unknown. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}
