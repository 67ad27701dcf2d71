import type { Insertable, Kysely } from 'kysely'
import { createApiKey } from '../../lib/auth/keys/api-keys.ts'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import type { DatabaseEnv } from '../../lib/db/neon.ts'
import type { Tables } from '../../lib/db/tables.ts'
import { encryptSecret } from '../../lib/platform/secrets.ts'
import { sha256 } from '../../lib/platform/sha256.ts'
import { programColumns } from '../../lib/programs/programs.queries.ts'
import { PROGRAM_DEFAULTS } from '../../lib/programs/programs.ts'
import type { SecretPurpose } from '../../lib/purchases/stripe/purposes.ts'
import type { Mode } from '../../lib/rules/purchases/processors.ts'
import type { Rule } from '../../lib/rules/rewards/rewards.ts'
import type { Role } from '../../lib/rules/roles/roles.ts'
import { type ApiKeyScope, DEFAULT_SCOPES } from '../../lib/tenancy/keys/api-keys.ts'
import { slugKey } from '../../lib/values/slugs.ts'

type RewardTerms = ({ percent: number } | { amountCents: bigint; currency: string }) & {
  rules?: Rule[]
}

type ProgramTerms = Partial<
  Omit<Insertable<Tables['programs']>, 'id' | 'workspace_id' | 'reward_id'>
>

type GroupTerms = {
  name?: string
  saleReward?: RewardTerms | null
  leadReward?: RewardTerms | null
}

export type Seeder = ReturnType<typeof seeder>

/**
 * Inserts what managers set up on the pages, for the demo and for tests: workspaces, programs,
 * groups, partners, API keys. Each call opens its own connection, so a seeder doesn't expire.
 *
 * @param open opens a connection, over Neon's HTTP by default
 */
export const seeder = (env: DatabaseEnv, open: (env: DatabaseEnv) => Kysely<Tables> = connect) => {
  const db = () => open(env)

  const addReward = async (workspaceId: string, terms: RewardTerms): Promise<string> => {
    const id = newId()
    const values =
      'percent' in terms
        ? {
            kind: 'percent' as const,
            basis_points: Math.round(terms.percent * 100),
            amount_cents: null,
            currency: null,
          }
        : {
            kind: 'flat' as const,
            basis_points: null,
            amount_cents: terms.amountCents,
            currency: terms.currency,
          }
    const rules = terms.rules ? JSON.stringify(terms.rules) : null
    await db()
      .insertInto('rewards')
      .values({ rules, id, workspace_id: workspaceId, ...values })
      .execute()
    return id
  }

  return {
    /**
     * @param manualPayouts whether it pays by bank transfer too
     * @param mode test by default, as the Stripe fake is in test mode
     */
    addWorkspace: async ({
      slug = `w-${newId().slice(-12)}`,
      name = 'A merchant',
      manualPayouts = false,
      mode = 'test' as Mode,
    } = {}) => {
      const id = newId()
      await db()
        .insertInto('workspaces')
        .values({ id, slug, name, manual_payouts: manualPayouts, mode })
        .execute()
      return { id, slug }
    },

    addMember: async (workspaceId: string, email: string, role: Role = 'manager') => {
      await db()
        .insertInto('members')
        .values({ id: newId(), workspace_id: workspaceId, email, role })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    addApiKey: async (
      workspaceId: string,
      {
        name = 'test',
        scopes = DEFAULT_SCOPES,
        expiresAt = null,
        revokedAt = null,
      }: {
        name?: string
        scopes?: ApiKeyScope[]
        expiresAt?: Date | null
        revokedAt?: Date | null
      } = {},
    ) => {
      const { key, hash, last4 } = await createApiKey({ mode: 'test' })
      await db()
        .insertInto('api_keys')
        .values({
          id: newId(),
          workspace_id: workspaceId,
          name,
          key_hash: hash,
          last4,
          scopes,
          expires_at: expiresAt,
          revoked_at: revokedAt,
        })
        .execute()
      return key
    },

    /** A signing secret of Stripe's webhooks, encrypted with the Workers' key. */
    addStripeSecret: async (
      workspaceId: string,
      secret: string,
      key: string,
      slot: 1 | 2 = 1,
      purpose: SecretPurpose = 'account',
    ) => {
      await db()
        .insertInto('stripe_secrets')
        .values({
          id: newId(),
          workspace_id: workspaceId,
          slot,
          purpose,
          ciphertext: await encryptSecret(key, workspaceId, secret),
          fingerprint: await sha256(secret),
          last4: secret.slice(-4),
          created_at: new Date(),
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    /**
     * The key of a Stripe account from which partners are paid, encrypted with the Workers' key.
     */
    addStripeKey: async (
      workspaceId: string,
      stripeKey: string,
      stripeAccountId: string,
      key: string,
    ) => {
      const row = {
        ciphertext: await encryptSecret(key, workspaceId, stripeKey),
        last4: stripeKey.slice(-4),
        stripe_account_id: stripeAccountId,
        livemode: false,
        reads_lines: true,
        reads_products: true,
        created_at: new Date(),
      }
      await db()
        .insertInto('stripe_keys')
        .values({ workspace_id: workspaceId, ...row })
        .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(row))
        .execute()
    },

    /** A coupon that credits a partner. */
    addCoupon: async (workspaceId: string, partnerId: string, couponId: string) => {
      await db()
        .insertInto('coupon_aliases')
        .values({
          id: newId(),
          workspace_id: workspaceId,
          partner_id: partnerId,
          coupon_id: couponId,
          label: null,
          created_at: new Date(),
        })
        .execute()
    },

    /** A program. By default it pays 20% of every sale, with no end. */
    addProgram: async (
      workspaceId: string,
      { reward = { percent: 20 }, ...terms }: ProgramTerms & { reward?: RewardTerms } = {},
    ) => {
      const id = newId()
      await db()
        .insertInto('programs')
        .values({
          ...programColumns(PROGRAM_DEFAULTS),
          id,
          workspace_id: workspaceId,
          name: 'A program',
          site_url: 'https://shop.example',
          reward_id: await addReward(workspaceId, reward),
          reward_interval: 'recurring',
          ...terms,
        })
        .execute()
      return id
    },

    addGroup: async (
      workspaceId: string,
      programId: string,
      { name = 'Gold', saleReward = null, leadReward = null }: GroupTerms = {},
    ) => {
      const id = newId()
      await db()
        .insertInto('groups')
        .values({
          id,
          workspace_id: workspaceId,
          program_id: programId,
          name,
          sale_reward_id: saleReward && (await addReward(workspaceId, saleReward)),
          lead_reward_id: leadReward && (await addReward(workspaceId, leadReward)),
        })
        .execute()
      return id
    },

    addPartner: async (
      workspaceId: string,
      programId: string,
      {
        slug,
        groupId = null,
        status = 'approved',
        name = null,
        email = `${slugKey(slug)}@partner.example`,
      }: {
        slug: string
        groupId?: string | null
        status?: 'approved' | 'banned'
        name?: string | null
        email?: string
      },
    ) => {
      const id = newId()
      await db()
        .insertInto('partners')
        .values({
          id,
          workspace_id: workspaceId,
          program_id: programId,
          group_id: groupId,
          email,
          name,
          slug,
          slug_key: slugKey(slug),
          status,
        })
        .execute()
      return id
    },
  }
}
