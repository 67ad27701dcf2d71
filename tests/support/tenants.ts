/**
 * Two tenants with a row of each kind, so that what belongs to one is recognized in answers to the
 * other.
 */
import type { Ids } from './hostile/values.ts'
import { createMerchant, type useDatabase } from './merchant.ts'
import { addPayout } from './portal.ts'
import { addReceived } from './received.ts'
import { useStripe } from './stripe.ts'
import { addWebhook } from './webhooks.ts'

type Database = ReturnType<typeof useDatabase>

/**
 * A workspace whose names, addresses, metadata and labels hold a word that occurs nowhere else. Its
 * slug and ids don't.
 */
export const createTenant = async (database: Database) => {
  const canary = `zq${crypto.randomUUID().slice(-12)}`
  const merchant = await createMerchant({
    group: { name: `Gold ${canary}` },
    program: { name: `Program ${canary}` },
    manualPayouts: true,
  })
  const { seed, workspace, programId } = merchant
  const { id: workspaceId } = workspace
  const email = `ann.${canary}@partner.example`
  const partnerId = await seed.addPartner(workspaceId, programId, {
    slug: 'ann',
    email,
    name: `Ann ${canary}`,
  })
  // Its manager signs in when first asked for, which adds rows.
  await merchant.manager()
  await seed.addMember(workspaceId, `boss.${canary}@shop.example`)
  await seed.addApiKey(workspaceId, { name: `Key ${canary}` })
  await seed.addCoupon(workspaceId, partnerId, `COUPON_${canary}`)
  const { secret } = await useStripe(merchant)
  const clickId = await merchant.click('ann')
  const buyer = `jo.${canary}@buyer.example`
  await merchant.lead({
    externalId: 'lead_1',
    clickId,
    customerEmail: buyer,
    customerName: `Jo ${canary}`,
  })
  await merchant.sale({ clickId, customerExternalId: buyer, metadata: { note: canary } })
  await addReceived(workspaceId, { email: buyer })
  await addPayout(database, { merchant, email, workspaceId, partnerId }, 500, {
    outcome: 'paid_at',
    byBank: true,
  })
  await addWebhook(database, workspaceId, canary)
  await database.query('update workspaces set name = $2 where id = $1', [
    workspaceId,
    `Shop ${canary}`,
  ])
  for (const statement of [
    `insert into payees (workspace_id, email, name, updated_at) values ($1, $2, $3, now())`,
    `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at, sent_at)
     select uuidv7(), $1, 'moved', $2, id, jsonb_build_object('partnerName', $3::text), now(), now(), now()
     from partners where workspace_id = $1 and email = $2`,
    `insert into audit_entries (id, workspace_id, actor, action, details, created_at)
     values (uuidv7(), $1, $2, 'program.updated', jsonb_build_object('name', $3::text), now())`,
  ])
    await database.query(statement, [workspaceId, email, `Ann ${canary}`])
  await database.query(
    'insert into payers (workspace_id, name, updated_at) values ($1, $2, now())',
    [workspaceId, `Shop ${canary}`],
  )

  const tables = await database.query<{ name: string; type: string | null }>(
    `select c.relname as name, max(i.atttypid::regtype::text) as type from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
     left join pg_attribute i on i.attrelid = c.oid and i.attname = 'id' and not i.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1 order by 1`,
  )
  /** Tables of what strangers may add to, and of sums that upkeep moves. */
  const isMoving = (name: string) =>
    ['clicks', 'last_visits', 'refused_visits'].includes(name) || /total|balance/.test(name)
  return {
    ...merchant,
    canary,
    email,
    secret,
    /** The ids of its rows by table, but of members and keys. */
    ids: async (): Promise<Ids> => {
      const withIds = tables.filter(
        ({ name, type }) => type === 'uuid' && !['members', 'api_keys'].includes(name),
      )
      const rows = await database.query<{ name: string; ids: string[] }>(
        withIds
          .map(
            ({ name }) =>
              `(select '${name}' as name, array_agg(id::text) as ids from ${name} where workspace_id = $1 having count(*) > 0)`,
          )
          .join(' union all '),
        [workspaceId],
      )
      return Object.fromEntries(rows.map(({ name, ids }) => [name, ids]))
    },
    /** A hash of the rows of each table. */
    fingerprint: async (): Promise<Record<string, string>> => {
      const kept = tables.filter(({ name }) => !isMoving(name))
      const rows = await database.query<{ name: string; hash: string }>(
        [
          ...kept.map(
            ({ name }) =>
              `select '${name}' as name, md5(string_agg(t::text, '|' order by t::text)) as hash from ${name} t where workspace_id = $1`,
          ),
          `select 'workspaces', md5(t::text) from workspaces t where id = $1`,
        ].join(' union all '),
        [workspaceId],
      )
      return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]))
    },
  }
}
export type Tenant = Awaited<ReturnType<typeof createTenant>>
