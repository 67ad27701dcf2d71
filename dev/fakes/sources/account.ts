/** A merchant's account at a platform: its data, what was asked of it, and how it fails. */
import type { OldProgram } from './program.ts'

/**
 * A failure to inject: no response, a closed connection, a page of HTML, a redirect to another
 * host, or a status.
 */
export type SourceFailure =
  | 'hang'
  | 'cut'
  | 'garbage'
  | 'redirect'
  | { status: number; headers?: Record<string, string> }

export type AccountOptions = {
  /** Requests per window. Without it there is no limit. */
  limit?: { most: number; windowMs: number }
  /** What the platform asks for beside the token. */
  accountId?: string
  /** Paths that the token may not read. */
  forbidden?: string[]
}

export const createAccount = (
  program: OldProgram,
  { limit, accountId, forbidden = [] }: AccountOptions,
) => {
  const failures: (SourceFailure | null)[] = []
  let windowEnd = 0
  let used = 0
  return {
    program,
    accountId,
    forbidden,
    /** Every request with the account's token. */
    requests: [] as { method: string; path: string }[],
    /** Awaited before each request is answered; replaceable at any time. */
    hooks: {} as { onRequest?: ((url: URL, count: number) => unknown) | undefined },
    /** Makes the next requests fail, in order; null lets one succeed. */
    plan: (...next: (SourceFailure | null)[]): void => {
      failures.splice(0, failures.length, ...next)
    },
    nextFailure: (): SourceFailure | null => failures.shift() ?? null,
    /** Counts a request. */
    take: () => {
      const now = Date.now()
      const { most, windowMs } = limit ?? { most: 1_000_000, windowMs: 1_000 }
      if (now >= windowEnd) {
        windowEnd = now + windowMs
        used = 0
      }
      used++
      const resetSeconds = Math.max(Math.ceil((windowEnd - now) / 1_000), 1)
      return { most, left: Math.max(most - used, 0), resetSeconds, isExceeded: used > most }
    },
  }
}

export type Account = ReturnType<typeof createAccount>
