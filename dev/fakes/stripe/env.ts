/** The Hono environment of the fake's API. */
import type { HttpBindings } from '@hono/node-server'
import type { Platform } from './platforms.ts'

export type ApiEnv = {
  Bindings: HttpBindings
  Variables: {
    key: string
    platform: Platform
    /**
     * The request ends in an error that is stored under its idempotency key, carried out or not.
     */
    storedFailure?: 'done' | 'undone'
  }
}
