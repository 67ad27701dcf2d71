/** Routes that all resources share: retrieve, list, respond. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { invalidParam } from './errors.ts'
import { expand } from './expand.ts'
import { integer, readForm, readParams, text } from './params.ts'
import type { Collection, Store } from './store.ts'

type Kept = { id: string; created: number; object: string }

/** Responds with an object, expanded as requested. */
export const answer = async (c: Context, store: Store, object: object): Promise<Response> => {
  const form = c.req.method === 'GET' ? new URL(c.req.url).search : await c.req.text()
  const paths = z.array(z.string()).catch([]).parse(readForm(form).expand)
  return c.json(expand(store, object, paths))
}

const MAX_LIMIT = 100
const LIST = {
  limit: integer.pipe(z.int().min(1).max(MAX_LIMIT)).optional(),
  starting_after: text.optional(),
  ending_before: text.optional(),
  created: z
    .union([
      integer.transform((at) => ({ gte: at, lte: at })),
      z.strictObject({
        gt: integer.optional(),
        gte: integer.optional(),
        lt: integer.optional(),
        lte: integer.optional(),
      }),
    ])
    .optional(),
}
type Range = {
  gt?: number | undefined
  gte?: number | undefined
  lt?: number | undefined
  lte?: number | undefined
}

const PAGE = {
  limit: LIST.limit,
  starting_after: LIST.starting_after,
  ending_before: LIST.ending_before,
}

const within = (at: number, { gt = -1, gte = 0, lt = Infinity, lte = Infinity }: Range): boolean =>
  at > gt && at >= gte && at < lt && at <= lte

/** A list's filters: whether an object matches a value. */
export type Filters<T> = Record<string, (one: T, value: string) => boolean>

/** The requested page of a list. */
const slice = <T extends { id: string }>(
  all: T[],
  {
    limit,
    after,
    before,
  }: { limit: number; after: string | undefined; before: string | undefined },
): { data: T[]; has_more: boolean } => {
  const rest = all.slice(after ? all.findIndex(({ id }) => id === after) + 1 : 0)
  if (!before) return { data: rest.slice(0, limit), has_more: rest.length > limit }
  const newer = all.slice(
    0,
    all.findIndex(({ id }) => id === before),
  )
  return { data: newer.slice(-limit), has_more: newer.length > limit }
}

/** The requested page of a list inside an object. @throws when it begins after an unknown one */
export const readPage = async <T extends { id: string }>(c: Context, all: T[], url: string) => {
  const { limit = 10, starting_after: after, ending_before: before } = await readParams(c, PAGE)
  for (const [param, id] of Object.entries({ starting_after: after, ending_before: before })) {
    if (id !== undefined && !all.some((one) => one.id === id))
      throw invalidParam(param, `No such line item: '${id}'`, 'resource_missing')
  }
  return { object: 'list' as const, url, ...slice(all, { limit, after, before }) }
}

/**
 * `GET path` and `GET path/:id` of a resource.
 *
 * @param kept    the collection, or a function that finds it by the request
 * @param filters by parameter name
 */
export const readable = <T extends Kept>(
  store: Store,
  path: string,
  kept: Collection<T> | ((c: Context) => Collection<T>),
  filters: Filters<T> = {},
) => {
  const collectionOf = typeof kept === 'function' ? kept : () => kept
  return new Hono()
    .get(path, async (c) => {
      const collection = collectionOf(c)
      const shape = Object.fromEntries(Object.keys(filters).map((name) => [name, text.optional()]))
      const {
        limit = 10,
        created,
        starting_after,
        ending_before,
        ...wanted
      } = await readParams(c, {
        ...LIST,
        ...shape,
      })
      const after = starting_after && collection.named(starting_after, 'starting_after').id
      const before = ending_before && collection.named(ending_before, 'ending_before').id
      const all = collection
        .list()
        .filter((one) => within(one.created, created ?? {}))
        .filter((one) =>
          Object.entries(wanted).every(
            ([name, value]) => typeof value !== 'string' || filters[name]?.(one, value),
          ),
        )
      return answer(c, store, {
        object: 'list',
        url: path,
        ...slice(all, { limit, after, before }),
      })
    })
    .get(`${path}/:id`, async (c) => {
      await readParams(c, {})
      return answer(c, store, collectionOf(c).get(c.req.param('id') ?? ''))
    })
}
