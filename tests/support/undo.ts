import type { ImportUndoResponse } from '../../lib/imports/imports.responses.ts'
import type { Dependents } from '../../lib/imports/undo.ts'
import { createWithLeo } from './imports.ts'
import type { Answer, createMerchant, Merchant, useDatabase } from './merchant.ts'

type Undone = Omit<Answer, 'body'> & {
  body: ImportUndoResponse & { dependents?: Dependents } & Answer['body']
}

/** How a merchant's manager undoes an import. */
export const undoer = async (merchant: Merchant) => {
  const manager = await merchant.asManager()
  return async (importId: string, body: object = {}) =>
    (await manager.post(`/imports/${importId}/undo`, body)) as Undone
}

export const newImport = () => ({ importId: crypto.randomUUID() })

/** A merchant with a second partner, "leo", both imports of its manager, and the undo. */
export const createUndoing = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const made = await createWithLeo(options)
  return { ...made, undo: await undoer(made.merchant) }
}

type Database = ReturnType<typeof useDatabase>

/**
 * What a workspace has that an import makes or changes, without what remains of partners whose
 * import was undone.
 */
export const present = async (
  { query }: Database,
  { workspace }: { workspace: { id: string } },
) => {
  const of = (text: string) => query(text, [workspace.id])
  return {
    partners: await of(
      'select id, email, name, slug, status, group_id from partners where workspace_id = $1 and undone_at is null order by id',
    ),
    links: await of('select slug, partner_id from links where workspace_id = $1 order by slug'),
    coupons: await of(
      'select coupon_id, partner_id from coupon_aliases where workspace_id = $1 order by 1',
    ),
    customers: await of(
      `select id, external_id, email, partner_id, imported_at, started_at, started_program_id from customers
       where workspace_id = $1 order by id`,
    ),
    identities: await of(
      'select customer_id, kind, value, source from customer_identities where workspace_id = $1 order by 1, 2, 3',
    ),
    referrals: await of(
      'select customer_id, origin, partner_id from referrals where workspace_id = $1 order by 1, 2',
    ),
    unsent: await of(
      'select recipient, kind from mails where workspace_id = $1 and sent_at is null and failed_at is null order by 1, 2',
    ),
    owed: await of(
      `select partner_id, currency, sum(amount_cents)::int as cents from commissions where workspace_id = $1
       group by 1, 2 having sum(amount_cents) <> 0 order by 1`,
    ),
  }
}
