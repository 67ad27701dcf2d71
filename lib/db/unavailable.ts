/**
 * The database did not answer in time, or in a way that proves nothing. Whether it committed is unknown.
 * In a file of its own, so that the router, which knows the error but not the database, is built without the driver.
 */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}
