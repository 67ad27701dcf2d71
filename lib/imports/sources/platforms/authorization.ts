/** The headers that prove to a platform who asks. */

/** The token as the user name, without a password. */
export const basicAuth = (token: string): Record<string, string> => ({
  Authorization: `Basic ${btoa(`${token}:`)}`,
})

export const bearerAuth = (token: string): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
})
