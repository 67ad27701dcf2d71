/**
 * The version of the snippet that a site can pin: its file in public/, which never changes, and its hash for Subresource
 * Integrity. Written by `npm run snippet:version`.
 */
export const SNIPPET_VERSION = {
  file: 'via.23b8c314a374.js',
  integrity: 'sha384-UgKQMeDG88xO34tOPgBSHajvlb7gjPlZmylgk+5YAwQ9yHESkn1VfP0x4SX2bCLU',
}

/** The tag that loads the snippet: the newest version, or this one for ever. */
export const snippetTag = (origin: string, programId: string, { pinned = false } = {}): string => {
  const { file, integrity } = SNIPPET_VERSION
  return pinned
    ? `<script defer src="${origin}/${file}" integrity="${integrity}" crossorigin="anonymous" data-program="${programId}"></script>`
    : `<script defer src="${origin}/via.js" data-program="${programId}"></script>`
}
