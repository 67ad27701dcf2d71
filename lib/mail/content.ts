/** What a mail says, twice: in HTML and in plain text. */
export type MailContent = { subject: string; html: string; text: string }

/** Longer subjects are cut off by every reader; RFC 5322 allows 998. */
const MAX_SUBJECT_LENGTH = 150

/**
 * A text for one line: a line break in a subject would begin another header, and characters that turn the direction
 * of writing would garble what follows.
 */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()

/** A subject, in one line and of a length that can be read. */
export const subjectLine = (text: string): string => {
  const line = [...oneLine(text)]
  return line.length > MAX_SUBJECT_LENGTH
    ? `${line.slice(0, MAX_SUBJECT_LENGTH - 1).join('')}…`
    : line.join('')
}
