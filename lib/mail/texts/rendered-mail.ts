/** A rendered mail, in HTML and in plain text. */
export type MailContent = { subject: string; html: string; text: string }

/** With the preview, which mail programs show beside the subject: hidden at the top of the HTML. */
export type RenderedMail = MailContent & { preview: string }

/** Mail clients truncate longer subjects; RFC 5322 allows 998 characters. */
export const MAX_SUBJECT_LENGTH = 150

/**
 * A text in one line. A line break in a subject would start another header, and bidirectional
 * control characters would garble the text after them.
 */
export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()

/** A subject in one line, truncated if it is too long. */
export const subjectLine = (text: string): string => {
  const line = [...oneLine(text)]
  return line.length > MAX_SUBJECT_LENGTH
    ? `${line.slice(0, MAX_SUBJECT_LENGTH - 1).join('')}…`
    : line.join('')
}
