/** The links of a partner: the main one, with its slug, and further ones, such as a former main. */
import { type RawBuilder, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf, newId, newSlugSuffix } from '../../db/ids.ts'
import { lockPartners } from '../../db/locks.queries.ts'
import { unlessTaken } from '../../imports/partners/partner-import.queries.ts'
import { lostRace } from '../../platform/unavailable.ts'
import type { PartnerStatus } from '../../tenancy/workspaces/tables.ts'
import { RESERVED_SLUGS, slugKey, suffixedSlug } from '../../values/slugs.ts'

/** Further links of a partner. Each change of the main slug adds one. */
export const MAX_FURTHER_LINKS = 100

/** Maximum links that a partner can create: enough for channels, few slugs lost to others. */
export const MAX_OWN_LINKS = 20

/** Attempts: in each round, one of the concurrent requests for a slug succeeds. */
const ROUNDS = 10

export type Link = { slug: string; isMain: boolean; siteUrl: string }

/** Since the link was created: visits through it, and sales that are credited by one of them. */
export type LinkCounts = { clicks: number; sales: number }

/** The links of the partner `p` with their counts, folded or not, as a subquery. */
export const linksOfPartner = sql<{ slug: string; isMain: boolean; id: string } & LinkCounts>`(
  select l.slug, l."isMain", l.id, coalesce(c.clicks, 0)::float8 as clicks, coalesce(c.sales, 0)::float8 as sales
  from (select p.slug, p.slug_key, true as "isMain", p.id
        union all
        select f.slug, f.slug_key, false, f.id from links f where f.partner_id = p.id) l
  left join (
    select slug_key, sum(clicks) as clicks, sum(sales) as sales
    from (select value as slug_key, clicks, sales from totals where of_id = p.id and dimension = 'link'
          union all
          select slug_key, clicks, sales from total_deltas
          where workspace_id = p.workspace_id and partner_id = p.id and slug_key is not null) parts
    group by slug_key) c on c.slug_key = l.slug_key)`

/** The links of a partner: the main one, then the others, newest first. */
export const linksQuery = (workspaceId: string, partnerId: string) => sql<Link & LinkCounts>`
  select l.slug, l."isMain", pr.site_url as "siteUrl", l.clicks, l.sales
  from partners p join programs pr on pr.id = p.program_id cross join lateral ${linksOfPartner} l
  where p.workspace_id = ${workspaceId} and p.id = ${partnerId}
  order by l."isMain" desc, l.id desc`

/** The same. @returns undefined when the workspace has no such partner */
export const linksOf = async (
  db: Db,
  workspaceId: string,
  partnerId: string,
): Promise<(Link & LinkCounts)[] | undefined> => {
  const { rows } = await linksQuery(workspaceId, partnerId).execute(db)
  return rows.length > 0 ? rows : undefined
}

/** Whether a partner or another one has a slug. */
type SlugState = {
  id: string
  programId: string
  siteUrl: string
  email: string
  status: PartnerStatus
  /** Whether it is the partner's main slug. */
  isMain: boolean
  /** The partner's further link with the slug; null if there is none. */
  linkId: string | null
  /** Whether another partner of the program has it, or one that looks alike if that is asked. */
  isTaken: boolean
  /** The number of the partner's further links with other slugs. */
  others: number
}

/** For a batch. @param byLook whether a slug that looks like a taken one counts as taken */
export const slugStateQuery = (
  workspaceId: string,
  partnerId: string,
  slug: string,
  byLook = false,
) => {
  const key = slugKey(slug)
  return sql<SlugState>`
    select p.id, p.program_id as "programId", pr.site_url as "siteUrl", p.email, p.status, p.slug_key = ${key} as "isMain", l.id as "linkId",
           ${isTaken(sql.ref('p.program_id'), sql.ref('p.id'), key)} or ${byLook ? looksTaken(key) : sql`false`} as "isTaken",
           (select count(*)::integer from links o where o.partner_id = p.id and o.slug_key <> ${key}) as others
    from partners p join programs pr on pr.id = p.program_id
                    left join links l on l.partner_id = p.id and l.slug_key = ${key}
    where p.workspace_id = ${workspaceId} and p.id = ${partnerId} and p.undone_at is null`
}

/** Whether another partner of a program has a slug. @param partnerId null for any partner */
const isTaken = (programId: unknown, partnerId: unknown, key: string) => sql<boolean>`(
  exists (select from partners t where t.program_id = ${programId} and t.slug_key = ${key} and t.id is distinct from ${partnerId}::uuid)
  or exists (select from links t where t.program_id = ${programId} and t.slug_key = ${key} and t.partner_id is distinct from ${partnerId}::uuid))`

/** Whether a slug looks like another partner's in the program of `p`, or like a reserved one. */
const looksTaken = (key: string) => sql<boolean>`(
  exists (select from unnest(${RESERVED_SLUGS}::text[]) as r (word) where slug_look(r.word) = slug_look(${key}))
  or exists (select from partners t where t.program_id = p.program_id and t.id <> p.id and slug_look(t.slug_key) = slug_look(${key}))
  or exists (select from links t where t.program_id = p.program_id and t.partner_id <> p.id and slug_look(t.slug_key) = slug_look(${key})))`

export type SlugRefusal =
  | { outcome: 'slug_taken'; suggestion: string }
  | { outcome: 'too_many_links' }

/** Why a partner can't have a slug, or null. */
export const slugRefusal = (
  { isTaken, isMain, linkId, others }: SlugState,
  slug: string,
  mostFurther = MAX_FURTHER_LINKS,
): SlugRefusal | null => {
  if (isTaken) return { outcome: 'slug_taken', suggestion: suffixedSlug(slug, newSlugSuffix()) }
  const isOwn = isMain || linkId !== null
  return !isOwn && others >= mostFurther ? { outcome: 'too_many_links' } : null
}

/** The statements before a slug is saved: nobody else takes it until the end of the batch. */
const claimSlug = (workspaceId: string, mayHave: RawBuilder<boolean>) => [
  lockPartners(workspaceId),
  sql<unknown>`select assert_unchanged(${mayHave})`,
]

/** The statements before a partner's slug is changed: the former one becomes a further link. */
export const keepFormerSlug = ({ workspaceId, now }: Act, state: SlugState, slug: string) => [
  ...claimSlug(workspaceId, sql`not ${isTaken(state.programId, state.id, slugKey(slug))}`),
  sql<unknown>`
    insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
    select ${newId()}::uuid, workspace_id, program_id, id, slug, slug_key, ${now}::timestamptz
    from partners where id = ${state.id} and slug_key <> ${slugKey(slug)}`,
  sql<unknown>`delete from links where partner_id = ${state.id} and slug_key = ${slugKey(slug)}`,
]

export type LinkAddition = { outcome: 'added' | 'already_added'; link: Link } | SlugRefusal

/**
 * Adds a further link, unless another partner of the program has the slug.
 *
 * @param partnerId a UUID
 * @returns undefined if the workspace has no such partner
 * @throws {Unavailable} if concurrent requests interfered in every round
 */
export const addLink = (
  db: Db,
  act: Act,
  partnerId: string,
  slug: string,
): Promise<LinkAddition | undefined> =>
  saveLink<never>(db, act, partnerId, slug, {
    mostFurther: MAX_FURTHER_LINKS,
    byLook: false,
    isAllowed: sql`true`,
    refusalOf: () => null,
  })

/**
 * As `addLink`, by the partner: with a lower limit, and not while it is banned. @param act its
 * actor is the partner's address
 */
export const addOwnLink = (
  db: Db,
  act: Act,
  partnerId: string,
  slug: string,
): Promise<LinkAddition | { outcome: 'inactive' } | undefined> =>
  saveLink(db, act, partnerId, slug, {
    mostFurther: MAX_OWN_LINKS - 1,
    byLook: true,
    isAllowed: sql`exists (select from partners where id = ${partnerId} and email = ${act.actor} and status = 'approved' for share)`,
    refusalOf: ({ email, status }) =>
      email === act.actor && status === 'approved' ? null : { outcome: 'inactive' },
  })

type Rules<Refusal> = {
  mostFurther: number
  byLook: boolean
  /** A condition that must hold when the link is saved. */
  isAllowed: RawBuilder<boolean>
  refusalOf: (state: SlugState) => Refusal | null
}

const saveLink = async <Refusal>(
  db: Db,
  act: Act,
  partnerId: string,
  slug: string,
  { mostFurther, byLook, isAllowed, refusalOf }: Rules<Refusal>,
): Promise<LinkAddition | Refusal | undefined> => {
  const { workspaceId, now } = act
  const id = idOf(act)
  for (let round = 0; round < ROUNDS; round++) {
    const { rows } = await slugStateQuery(workspaceId, partnerId, slug, byLook).execute(db)
    const [state] = rows
    if (!state) return undefined
    const refused = refusalOf(state)
    if (refused) return refused
    const { isMain, linkId, siteUrl } = state
    const link = { slug, isMain, siteUrl }
    // A repeat with an Idempotency-Key finds its own link.
    if (isMain || linkId) return { outcome: linkId === id ? 'added' : 'already_added', link }
    const refusal = slugRefusal(state, slug, mostFurther)
    if (refusal) return refusal

    // Since the read, the slug may have become the partner's main one, so nobody may have it.
    const mayHave = sql<boolean>`not ${isTaken(state.programId, null, slugKey(slug))} and ${isAllowed}
      and (select undone_at from partners where id = ${state.id}) is null
      and (select count(*) from links where partner_id = ${state.id}) < ${mostFurther}::integer`
    const add = sql`
      insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
      values (${id}, ${workspaceId}, ${state.programId}, ${state.id}, ${slug}, ${slugKey(slug)}, ${now})
      on conflict (id) do nothing`
    const details = { email: state.email, slug }
    const saved = await unlessTaken(() =>
      db.batch([
        ...claimSlug(workspaceId, mayHave).map((statement) => statement.compile(db)),
        add.compile(db),
        auditEntry(db, { ...act, action: 'link.added', subjectId: state.id, details }).compile(),
      ]),
    )
    if (saved) return { outcome: 'added', link }
  }
  throw lostRace('the links of this program')
}

/**
 * Releases a further link: its visits are no longer recorded, and its slug is free. Keeps recorded
 * clicks.
 *
 * @param partnerId a UUID
 * @returns undefined if the workspace has no such partner
 */
export const releaseLink = async (
  db: Db,
  act: Act,
  partnerId: string,
  slug: string,
): Promise<'released' | 'not_found' | 'is_main' | undefined> => {
  const { workspaceId } = act
  const { rows } = await slugStateQuery(workspaceId, partnerId, slug).execute(db)
  const [state] = rows
  if (!state) return undefined
  if (state.isMain) return 'is_main'
  if (!state.linkId) return 'not_found'

  const isThere = sql<boolean>`exists (select from links where workspace_id = ${workspaceId} and id = ${state.linkId} for update)`
  const details = { email: state.email, slug }
  await db.batch([
    // A concurrent release waits for the row lock, and then writes no entry.
    auditEntry(db, {
      ...act,
      action: 'link.released',
      subjectId: state.id,
      details,
      when: isThere,
    }).compile(),
    sql`delete from links where workspace_id = ${workspaceId} and id = ${state.linkId}`.compile(db),
  ])
  return 'released'
}
