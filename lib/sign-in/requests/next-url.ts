/** A placeholder for the host. */
const HERE = 'https://tributary.invalid'

/** In characters, longer than any path of ours with its query. */
const MAX_LENGTH = 2_000

/**
 * The path to open after sign-in, always on this site: prevents open redirects. Anything else, such
 * as `//evil.example` or `/\evil.example`, becomes `/app`. `URL` parses it as browsers do.
 */
export const safePath = (next: string | undefined): string => {
  if (!next?.startsWith('/') || next.length > MAX_LENGTH) return '/app'
  const url = URL.parse(next, HERE)
  if (url?.origin !== HERE) return '/app'
  const path = url.pathname + url.search + url.hash
  // `/.//evil.example` is normalized to this.
  return path.startsWith('//') ? '/app' : path
}
