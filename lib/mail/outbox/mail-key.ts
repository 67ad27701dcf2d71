/** The identifier of a mail at the provider: its idempotency key, and the tag in reports of it. */

const KEY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_(\d{1,6}))?$/

/**
 * The key of a mail. Each report that it was never sent raises the version: the provider would
 * deduplicate by the former key.
 */
export const mailKey = (id: string, keyVersion: number): string =>
  keyVersion === 0 ? id : `${id}_${keyVersion}`

/** The mail and version in a key; null if this installation has not made it. */
export const readMailKey = (key: string): { id: string; keyVersion: number } | null => {
  const [, id, version = '0'] = KEY.exec(key) ?? []
  return id ? { id, keyVersion: Number(version) } : null
}
