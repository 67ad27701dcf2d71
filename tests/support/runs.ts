import { inject } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import type { PayoutMethod } from '../../lib/payouts/payouts.ts'
import { beginRun } from '../../lib/payouts/runs/begin-run.queries.ts'
import { claimPage } from '../../lib/payouts/runs/claims.queries.ts'
import { importer } from './imports.ts'
import { createMerchant, type useDatabase } from './merchant.ts'
import { SECRETS_KEY, stripeKey } from './secrets.ts'

type Row = Record<string, unknown> & { email: string; openingBalanceCents: number }

const OWED: Row[] = [
  { email: 'leo@partner.example', name: 'Leo Okafor', slug: 'leo', openingBalanceCents: 812_000 },
  { email: 'ann@partner.example', name: 'Ann', slug: 'ann', openingBalanceCents: 5_050 },
]

/**
 * A merchant who owes its partners something, opening balances all of it, and its payout runs, by
 * bank transfer too.
 */
export const createOwing = async (
  rows: Row[] = OWED,
  options: Parameters<typeof createMerchant>[0] = {},
) => {
  const merchant = await createMerchant({ manualPayouts: true, ...options })
  const imports = await importer(merchant)
  const imported =
    rows.length > 0 && (await imports.partners(rows, { importOpeningBalances: true }))
  if (imported && imported.status !== 200) throw new Error(JSON.stringify(imported.body))

  /**
   * Begins a run, which claims all that is owed by default. One by Stripe claims under a key, which
   * is gone afterwards, or the clock of other tests would send what was claimed.
   *
   * @returns its id
   */
  const begin = async (
    method: PayoutMethod = 'manual',
    { isClaimed = true } = {},
  ): Promise<string> => {
    const db = () => connect(options.database ?? inject('database'))
    const now = new Date()
    const { id: workspaceId } = merchant.workspace
    const scope = { workspaceId, programId: null, method, cutoffAt: now, cover: {} }
    if (method === 'stripe')
      await merchant.seed.addStripeKey(workspaceId, stripeKey(), 'acct_shop', SECRETS_KEY)
    const id = (await beginRun(db(), scope, { actor: 'somebody@shop.example', now }))?.id ?? ''
    while (
      isClaimed &&
      (await claimPage(db(), { ...scope, id }, { partners: 500 }, now)) !== 'all'
    );
    await db().deleteFrom('stripe_keys').where('workspace_id', '=', workspaceId).execute()
    return id
  }
  return { ...merchant, begin, manager: merchant.manager, cookie: imports.cookie }
}
export type Owing = Awaited<ReturnType<typeof createOwing>>

/**
 * How the commissions of a merchant are, and what is wrong with its ledger, which is to be nothing.
 */
export const lookAtLedger = async (
  { query, violations }: ReturnType<typeof useDatabase>,
  { workspace }: Pick<Owing, 'workspace'>,
) => {
  const commissions = await query<{ status: string; cents: string }>(
    `select case when po.paid_at is not null then 'paid' when c.payout_id is not null then 'processing'
                 else 'payable' end as status, sum(c.amount_cents) as cents
     from commissions c left join payouts po on po.id = c.payout_id where c.workspace_id = $1 group by 1`,
    [workspace.id],
  )
  return {
    ...Object.fromEntries(commissions.map(({ status, cents }) => [status, Number(cents)])),
    violations: await violations(workspace.id),
  }
}
