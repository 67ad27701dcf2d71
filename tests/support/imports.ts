import type {
  CustomerImportSummary,
  CustomerResult,
} from '../../lib/imports/customers/customer-import.ts'
import type {
  PartnerImportSummary,
  PartnerImportWarning,
  PartnerResult,
} from '../../lib/imports/partners/partner-import.ts'
import { type Answer, createMerchant, type Merchant, send, type useDatabase } from './merchant.ts'

type Imported<Summary, Result> = Omit<Answer, 'body'> & {
  body: Answer['body'] & { summary: Summary; results: Result[] }
}
export type PartnersImported = Imported<PartnerImportSummary, PartnerResult> & {
  body: { warnings?: PartnerImportWarning[] }
}
export type CustomersImported = Imported<CustomerImportSummary, CustomerResult>

/**
 * Both imports as a manager of the merchant calls them, at the Workers of all tests or at others.
 */
export const importer = async (merchant: Merchant, at?: string) => {
  const cookie = await merchant.manager()
  const path = `/api/workspaces/${merchant.workspace.slug}`
  const post = (resource: string, body: unknown) =>
    at
      ? send(`${at}${path}${resource}`, { body, headers: { Cookie: cookie } })
      : merchant.as(cookie).post(resource, body)
  return {
    cookie,
    partners: async (rows: unknown[], options: object = {}, more: object = {}) =>
      (await post('/partners/import', {
        programId: merchant.programId,
        options,
        rows,
        ...more,
      })) as PartnersImported,
    customers: async (rows: unknown[], more: object = {}) =>
      (await post('/customers/import', { rows, ...more })) as CustomersImported,
  }
}

export const MAYA = 'maya@partner.example'
export const LEO = 'leo@partner.example'

/** A merchant with a second partner, "leo", and both imports of its manager. */
export const createWithLeo = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(options)
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
  return { merchant, ...(await importer(merchant)) }
}

/** So many rows of partners, each with everything that a row may have. */
export const partnerRows = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, index) => ({
    email: `${prefix}${index}@partner.example`,
    name: `Partner ${prefix}${index}`,
    slug: `${prefix}-${index}`,
    couponId: `${prefix.toUpperCase()}-${index}`,
    couponLabel: 'FRIENDS',
    openingBalanceCents: 1_000 + index,
  }))

type Database = ReturnType<typeof useDatabase>

/** What an import has made, by email address; the seeded partner "maya" is left out. */
export const importedPartners = ({ query }: Database, { workspace }: Merchant) =>
  query<{
    email: string
    name: string | null
    slug: string
    status: string
    coupon: string | null
  }>(
    `select p.email, p.name, p.slug, p.status, c.coupon_id as coupon
     from partners p left join coupon_aliases c on c.partner_id = p.id
     where p.workspace_id = $1 and p.slug <> 'maya' order by p.email`,
    [workspace.id],
  )

/** The customers of a merchant, each with its partner. */
export const customersOf = ({ query }: Database, { workspace }: Merchant) =>
  query(
    `select c.external_id as id, c.email, p.email as partner, c.started_at as start,
            c.started_program_id is not distinct from p.program_id as "sameProgram", c.imported_at is not null as imported
     from customers c join partners p on p.id = c.partner_id where c.workspace_id = $1 order by c.external_id`,
    [workspace.id],
  )

/** Everything that imports and managers may change, row by row, to compare before and after. */
export const everything = async ({ query }: Database, { workspace }: Merchant) => {
  const tables = [
    'partners',
    'coupon_aliases',
    'links',
    'applications',
    'commissions',
    'mails',
    'customers',
    'stripe_secrets',
    'payout_runs',
    'payouts',
    'audit_entries',
  ]
  const rows: Record<string, Record<string, unknown>[]> = {}
  for (const table of tables) {
    rows[table] = await query(`select * from ${table} where workspace_id = $1 order by id`, [
      workspace.id,
    ])
  }
  return rows
}

/** How many rows of each kind an import has made, but for what managers are mailed about it. */
export const importCounts = async ({ query }: Database, { workspace }: Merchant) => {
  const [row] = await query<{ partners: number; coupons: number; balances: number; mails: number }>(
    `select (select count(*) from partners where workspace_id = $1 and slug <> 'maya')::int as partners,
            (select count(*) from coupon_aliases where workspace_id = $1)::int as coupons,
            (select count(*) from commissions where workspace_id = $1)::int as balances,
            (select count(*) from mails where workspace_id = $1 and kind <> 'opening_balances')::int as mails`,
    [workspace.id],
  )
  return row
}
