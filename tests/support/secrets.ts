/** Signs the sessions of all tests: any text of 32 characters or more will do. */
export const AUTH_SECRET = 'only-for-tests-and-known-to-anybody-who-reads'
