/** Times in sentences, for mails, which don't know the reader's time zone. */

/** A time for people: "25 Nov 2026, 10:00 UTC". */
export const timeWords = (at: Date): string =>
  `${at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })} UTC`
