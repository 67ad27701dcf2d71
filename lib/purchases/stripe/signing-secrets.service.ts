/** Stores webhooks' signing secrets, which no other Worker may write: see roles.sql. */

import type { Act } from '../../audit/audit.queries.ts'
import { connect } from '../../db/connection.ts'
import type { DatabaseEnv } from '../../db/neon.ts'
import { encryptSecret } from '../../platform/secrets.ts'
import { sha256 } from '../../platform/sha256.ts'
import { addStripeSecret, type NewSecret, type StoredSecret } from './signing-secrets.queries.ts'

export const addSecret = async (
  env: DatabaseEnv & { SECRETS_KEY: string },
  act: Act,
  { secret, purpose }: NewSecret,
): Promise<StoredSecret> =>
  addStripeSecret(connect(env), act, {
    purpose,
    ciphertext: await encryptSecret(env.SECRETS_KEY, act.workspaceId, secret),
    fingerprint: await sha256(secret),
    last4: secret.slice(-4),
  })
