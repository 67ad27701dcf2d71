/**
 * The version of the snippet that a site can pin: its file in public/, which never changes, and its hash for Subresource
 * Integrity. Written by `npm run snippet:version`.
 */
export const SNIPPET_VERSION = {
  file: 'via.e09eb23ff35c.js',
  integrity: 'sha384-/9j3w5fiLYrG0JPmQWuOh3SAl4tMjqVVGIFQnnu2ZHiLA/KeZxdxYFwcscANQQPu',
}

/** The tag that loads the snippet: the newest version, or this one for ever. */
export const snippetTag = (origin: string, programId: string, { pinned = false } = {}): string => {
  const { file, integrity } = SNIPPET_VERSION
  return pinned
    ? `<script defer src="${origin}/${file}" integrity="${integrity}" crossorigin="anonymous" data-program="${programId}"></script>`
    : `<script defer src="${origin}/via.js" data-program="${programId}"></script>`
}
