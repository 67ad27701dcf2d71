import { fileURLToPath } from 'node:url'

/**
 * The project's folder. In a file of its own, because importing runtime/workers.ts loads wrangler,
 * which takes a second.
 */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
