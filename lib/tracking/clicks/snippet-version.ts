/**
 * The version of the snippet that a site can pin: its file in public/, which never changes, and its
 * hash for Subresource Integrity. Written by `npm run snippet:version`.
 */
export const SNIPPET_VERSION = {
  file: 'via.86047993eb78.js',
  integrity: 'sha384-XnSmlrRNbWqy2dWp/p0IFxKOMypuiSuKpSDpwQ6Yt32mCNd6cylqk++EYqTvpZIL',
}

/** The tag that loads the snippet: the newest version, or this one permanently. */
export const snippetTag = (origin: string, programId: string, { pinned = false } = {}): string => {
  const { file, integrity } = SNIPPET_VERSION
  return pinned
    ? `<script defer src="${origin}/${file}" integrity="${integrity}" crossorigin="anonymous" data-program="${programId}"></script>`
    : `<script defer src="${origin}/via.js" data-program="${programId}"></script>`
}
