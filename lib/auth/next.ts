/** Stands for whatever host we are served at. */
const HERE = 'https://tributary.invalid'

/** Longer than any path of ours with its query. */
const MAX_LENGTH = 2_000

/**
 * Where to go after signing in: a path of this site, whatever the address says. Anything else, such as `//evil.example`
 * or `/\evil.example`, leads to the workspaces, so that nobody can make a link of ours that ends elsewhere.
 * Browsers and we read it by the same rules, those of `URL`.
 */
export const safePath = (next: string | undefined): string => {
  if (!next?.startsWith('/') || next.length > MAX_LENGTH) return '/app'
  const url = URL.parse(next, HERE)
  if (url?.origin !== HERE) return '/app'
  const path = url.pathname + url.search + url.hash
  // What `/.//evil.example` becomes.
  return path.startsWith('//') ? '/app' : path
}
