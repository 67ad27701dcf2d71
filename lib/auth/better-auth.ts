/** Better Auth, kept to what we need of it: it redeems mailed links, and holds the sessions. */
import { kyselyAdapter } from '@better-auth/kysely-adapter'
import { type BetterAuthOptions, betterAuth } from 'better-auth/minimal'
import { magicLink } from 'better-auth/plugins/magic-link'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { describeError } from '../http/logging.ts'
import { sha256 } from '../sha256.ts'
import { cookieName } from './cookies.ts'
import { repeatableInserts } from './repeatable-inserts.queries.ts'

/** How long a link can be used. A mail that takes longer to arrive is rare, and a mailbox keeps its mails for ever. */
export const LINK_MINUTES = 10

/** How long a browser stays signed in after it was last used. */
export const SESSION_DAYS = 30

const ONE_DAY_SECONDS = 86_400

/** Anything shorter could be guessed, and Better Auth would sign with a secret of its own that everybody knows. */
const MIN_SECRET_LENGTH = 32

type AuthSettings = {
  db: Db
  /** AUTH_SECRET: signs the cookies. */
  secret: string
  /** Whether cookies go over https only. */
  secure: boolean
}

/** Better Auth throws an error of its own that doesn't say what was wrong; only its log does. */
const logFailure: NonNullable<BetterAuthOptions['logger']>['log'] = (_level, about, cause) =>
  console.error(
    JSON.stringify({ level: 'error', about, ...(cause instanceof Error ? describeError(cause) : undefined) }),
  )

/** What Better Auth is told. The tables stand in schema.sql. */
export const authOptions = ({ db, secret, secure }: AuthSettings) =>
  ({
    secret,
    // Nothing is made from it: its routes are not served, and links get the address at which they were asked for.
    baseURL: 'https://tributary.invalid',
    database: kyselyAdapter(db.withSchema('auth').withPlugin(repeatableInserts), { type: 'postgres' }),
    user: {
      modelName: 'users',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    session: {
      modelName: 'sessions',
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      expiresIn: SESSION_DAYS * ONE_DAY_SECONDS,
      updateAge: ONE_DAY_SECONDS,
      // A cached session would go on after it was ended.
      cookieCache: { enabled: false },
    },
    account: {
      modelName: 'accounts',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    plugins: [
      magicLink({
        storeToken: { type: 'custom-hasher', hash: sha256 },
        sendMagicLink: () => Promise.reject(new Error('Links are made and mailed by lib/auth/links.ts.')),
      }),
    ],
    advanced: {
      // The names below are whole: Better Auth's own prefix would be __Secure-, which a subdomain can plant.
      useSecureCookies: false,
      cookiePrefix: 'tributary',
      cookies: {
        session_token: {
          name: cookieName(secure),
          attributes: { secure, httpOnly: true, sameSite: 'lax', path: '/' },
        },
      },
      database: { generateId: newId },
      trustedProxyHeaders: false,
      ipAddress: { disableIpTracking: true },
    },
    // The session and its person in one fetch.
    experimental: { joins: true },
    telemetry: { enabled: false },
    logger: { level: 'error', log: logFailure },
  }) satisfies BetterAuthOptions

/**
 * Better Auth for one request, so that its database calls have this request's deadline and are counted with it.
 * Making one takes about 0.3 ms.
 *
 * @throws when AUTH_SECRET is too short
 */
export const createAuth = (settings: AuthSettings) => {
  if ((settings.secret ?? '').length < MIN_SECRET_LENGTH) {
    throw new Error(`AUTH_SECRET must have at least ${MIN_SECRET_LENGTH} characters.`)
  }
  return betterAuth(authOptions(settings))
}
