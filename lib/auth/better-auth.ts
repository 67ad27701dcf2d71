/** Better Auth, which only redeems sign-in links and stores sessions. */
import { kyselyAdapter } from '@better-auth/kysely-adapter'
import { type BetterAuthOptions, betterAuth } from 'better-auth/minimal'
import { magicLink } from 'better-auth/plugins/magic-link'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { describeError, log } from '../http/logging.ts'
import { MIN_SECRET_LENGTH } from '../platform/secrets.ts'
import { sha256 } from '../platform/sha256.ts'
import { cookieName } from './cookies.ts'
import { repeatableInserts } from './idempotency/repeatable-inserts.queries.ts'

/** Lifetime of a sign-in link. Mails rarely take longer, and mailboxes keep old links. */
export const LINK_MINUTES = 10

/** Lifetime of a session after its last use. */
export const SESSION_DAYS = 30

/** Lifetime of a session, independent of its use. */
export const MAX_SESSION_DAYS = 90

const ONE_DAY_SECONDS = 86_400

type AuthSettings = {
  db: Db
  /** AUTH_SECRET. */
  secret: string
  /** Whether cookies are sent over https only. */
  secure: boolean
}

/** Better Auth's errors hide the cause, which it only logs. */
const logFailure: NonNullable<BetterAuthOptions['logger']>['log'] = (_level, about, cause) =>
  log('error', {
    about: describeError(new Error(about)).error,
    ...(cause instanceof Error && describeError(cause)),
  })

/** Better Auth's options. Its tables are in schema/sign-in.sql. */
export const authOptions = ({ db, secret, secure }: AuthSettings) =>
  ({
    secret,
    // Unused, because its routes are not served and links use the URL of the request.
    baseURL: 'https://tributary.invalid',
    database: kyselyAdapter(db.withSchema('sign_in').withPlugin(repeatableInserts), {
      type: 'postgres',
    }),
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
      additionalFields: {
        passkeyAt: { type: 'date', required: false, input: false, fieldName: 'passkey_at' },
      },
      expiresIn: SESSION_DAYS * ONE_DAY_SECONDS,
      updateAge: ONE_DAY_SECONDS,
      // A cached session would outlive sign-out.
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
        sendMagicLink: () =>
          Promise.reject(
            new Error('Links are created and mailed by lib/sign-in/requests/links.ts.'),
          ),
      }),
    ],
    advanced: {
      // Better Auth would add the prefix __Secure-, under which a subdomain can set a cookie.
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
    // Reads the session and its user in one round trip.
    experimental: { joins: true },
    telemetry: { enabled: false },
    logger: { level: 'error', log: logFailure },
  }) satisfies BetterAuthOptions

/**
 * Better Auth for one request, whose database calls share the request's deadline and count. Takes
 * about 0.3 ms.
 *
 * @throws if AUTH_SECRET is too short: without one, Better Auth would sign with a public default
 */
export const createAuth = (settings: AuthSettings) => {
  if ((settings.secret ?? '').length < MIN_SECRET_LENGTH) {
    throw new Error(`AUTH_SECRET must have at least ${MIN_SECRET_LENGTH} characters.`)
  }
  return betterAuth(authOptions(settings))
}
