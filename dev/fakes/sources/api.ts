import type { IncomingMessage } from 'node:http'
import type { Account } from './account.ts'

/** How a platform answers. */
export type PlatformApi = {
  /** The account whose token the request has; undefined if it has none. */
  tokenOf: (request: IncomingMessage) => string | undefined
  /** How a wrong token is answered. */
  refusal: { status: number; body: unknown }
  /** The headers about the limit. */
  limitHeaders: (limit: {
    most: number
    left: number
    resetSeconds: number
  }) => Record<string, string>
  /** @returns undefined for a path that does not exist */
  answer: (
    url: URL,
    account: Account,
    request: IncomingMessage,
  ) => { status: number; body: unknown } | undefined
}

/** The token of `Authorization: Bearer`. */
export const bearerOf = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
