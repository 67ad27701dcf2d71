/** How a platform is read, and what the readers of all platforms share. */
import type { PlatformId, Purpose, Resource } from '../source.ts'
import type {
  LeftOutReason,
  SourceCommission,
  SourceCoupon,
  SourceCustomer,
  SourcePage,
  SourcePartner,
  SourceRow,
} from '../source-rows.ts'
import { type Fields, fieldsOf, textOf } from './json.ts'

/**
 * @property token what the platform calls its API key or secret
 * @property account the id of the account or program, for platforms that ask for it
 */
export type Credentials = { token: string; account: string | null }

/**
 * How a platform is read. Pure: the caller does the I/O.
 *
 * @property baseUrl the only address to which tokens are sent
 * @property paging `number`: a list that grows or shrinks between two pages shifts the later ones
 * @property imported the lists that an import reads, in this order: customers before their
 *   commissions, and partners last, so that each partner of a customer is among them
 * @property owed which list says what partners are owed
 * @property account what `Credentials.account` is; null if the platform asks for none
 * @property tokenHint where the token is found
 * @property caution what a manager should know before the import
 */
export type Platform = {
  id: PlatformId
  name: string
  baseUrl: string
  paging: 'number' | 'cursor'
  pageSize: number
  imported: Resource[]
  owed: 'partners' | 'commissions'
  account: string | null
  tokenHint: string
  caution: string | null
  headers: (credentials: Credentials) => Record<string, string>
  /** The path and query of a page. @param cursor of the page before; null for the first */
  path: (resource: Resource, cursor: string | null, credentials: Credentials) => string
  /** @returns null for what is not a page of the list */
  read: (resource: Resource, body: unknown, cursor: string | null) => SourcePage | null
}

/** The lists that are read for a purpose. */
export const listsOf = (platform: Platform, purpose: Purpose): Resource[] =>
  purpose === 'shadow' ? ['commissions'] : platform.imported

/** A list: where it is, and how an item with this id becomes a row. */
type List = { path: string; row: (id: string, item: Fields) => SourceRow }

/** A page whose items are not rows yet. */
type ItemPage = Omit<SourcePage, 'rows'> & { items: unknown[] }

type Definition = Omit<Platform, 'path' | 'read'> & {
  lists: Partial<Record<Resource, List>>
  pathOf: (
    list: string,
    place: { resource: Resource; cursor: string | null; account: string },
  ) => string
  /** @returns null for what is not a page */
  pageOf: (body: unknown, cursor: string | null, resource: Resource) => ItemPage | null
}

const idOf = (item: unknown): string | null => textOf(fieldsOf(item).id)

/** The id of the last item that has one. */
export const lastId = (items: unknown[]): string | null => items.map(idOf).findLast(Boolean) ?? null

export const definePlatform = ({ lists, pathOf, pageOf, ...platform }: Definition): Platform => ({
  ...platform,
  path: (resource, cursor, { account }) =>
    pathOf(lists[resource]?.path ?? '', { resource, cursor, account: account ?? '' }),
  read: (resource, body, cursor) => {
    const list = lists[resource]
    const page = list && pageOf(body, cursor, resource)
    if (!page) return null
    const rows = page.items.flatMap((item) => {
      const id = idOf(item)
      return id ? [list.row(id, fieldsOf(item))] : []
    })
    return { rows, next: page.next, total: page.total }
  },
})

export const leftOut = (id: string, reason: LeftOutReason, name: string | null): SourceRow => ({
  kind: 'left_out',
  id,
  reason,
  name: name ?? id,
})

/** Fields of a row as they were read: null where the platform says none. */
type Read<Row, Required extends keyof Row> = Omit<Row, 'kind' | Required> & {
  [Field in Required]: Row[Field] | null
}

export const partnerRow = ({ email, ...partner }: Read<SourcePartner, 'email'>): SourceRow =>
  email ? { kind: 'partner', email, ...partner } : leftOut(partner.id, 'no_email', partner.name)

export const customerRow = (customer: Omit<SourceCustomer, 'kind'>): SourceRow => {
  const { id, externalId, email, partnerId, partnerEmail } = customer
  const name = email ?? externalId
  if (name === null) return leftOut(id, 'no_customer', name)
  if (!partnerId && !partnerEmail) return leftOut(id, 'no_partner', name)
  return { kind: 'customer', ...customer }
}

export const couponRow = (
  { id, code, partnerId, externalId }: Read<SourceCoupon, 'partnerId' | 'externalId'>,
  isArchived: boolean,
): SourceRow => {
  const name = code ?? externalId
  if (isArchived) return leftOut(id, 'archived', name)
  if (!partnerId) return leftOut(id, 'no_partner', name)
  if (!externalId) return leftOut(id, 'no_processor_id', name)
  return { kind: 'coupon', id, partnerId, externalId, code }
}

export const commissionRow = ({
  amountCents,
  currency,
  soldAt,
  ...commission
}: Read<SourceCommission, 'amountCents' | 'currency' | 'soldAt'>): SourceRow =>
  amountCents === null || !currency || !soldAt
    ? leftOut(commission.id, 'unreadable', null)
    : { kind: 'commission', amountCents, currency, soldAt, ...commission }

/** A header with the token as the user name, without a password. */
export const basicAuth = (token: string) => ({ Authorization: `Basic ${btoa(`${token}:`)}` })

export const bearerAuth = (token: string) => ({ Authorization: `Bearer ${token}` })
