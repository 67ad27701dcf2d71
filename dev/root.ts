import { fileURLToPath } from 'node:url'

/** The project's folder. By itself here, so that who needs no more than that doesn't load wrangler, which takes a second. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))
