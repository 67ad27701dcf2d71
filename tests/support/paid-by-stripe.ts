/** Payouts by the Stripe that all tests share. */
import { inject } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { connectTo } from '../../lib/payouts/stripe/connect.service.ts'
import { encryptSecret } from '../../lib/platform/secrets.ts'
import type { Merchant, useDatabase } from './merchant.ts'
import { SECRETS_KEY } from './secrets.ts'

/** Ways to a payout of maya's. */
export const usePaidByStripe = (database: Pick<ReturnType<typeof useDatabase>, 'query'>) => {
  /**
   * Lets a merchant pay from an account of its own at the Stripe that all tests share.
   * @returns its key
   */
  const connectStripe = async ({ workspace }: Merchant): Promise<string> => {
    const key = `sk_test_${workspace.id.replaceAll('-', '')}`
    await database.query(
      `insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, created_at)
       values ($1, $2, 'test', 'acct_test', false, now())`,
      [workspace.id, await encryptSecret(SECRETS_KEY, workspace.id, key)],
    )
    return key
  }

  /** Owes maya an opening balance. */
  const owe = ({ workspace }: Merchant, amountCents = 4_900) =>
    database.query(
      `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency,
                                payable_at, created_at)
       select gen_random_uuid(), workspace_id, program_id, id, 'opening_balance', $2, 'USD', now(), now()
       from partners where workspace_id = $1`,
      [workspace.id, amountCents],
    )

  /** Connects maya to an account that can be paid. @returns its id */
  const connectMaya = async ({ workspace }: Merchant, key: string): Promise<string> => {
    const stripe = inject('stripeUrl')
    const account = await connectTo({ STRIPE_URL: stripe }, key).createAccount({
      email: 'maya@partner.example',
      country: 'DE',
      metadata: {},
      idempotencyKey: newId(),
    })
    await fetch(`${stripe}/dev/stripe/accounts/${account}/onboard`, {
      method: 'POST',
      headers: { Origin: stripe },
      redirect: 'manual',
    })
    await database.query(
      `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
       values ($1, $2, 'maya@partner.example', 'DE', $3, 'enabled', now() - interval '4 days')`,
      [newId(), workspace.id, account],
    )
    return account
  }

  return { connectStripe, owe, connectMaya }
}
