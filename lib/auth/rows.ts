/** The rows of a workspace that a URL names: by its `:id`, or by the query of a list. */
import type { Context } from 'hono'
import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { found, type Noun } from '../http/found-or-404.ts'
import { type Listed, page } from '../http/lists.ts'
import { actOf, type WorkspaceEnv } from './access.ts'

type Request = Pick<Context<WorkspaceEnv>, 'req' | 'var'>

const idOf = (c: Request): string => c.req.param('id') ?? ''

/**
 * Reads the row of the URL. Another workspace's row is not found.
 *
 * @throws {ApiError} `not_found`
 * @example const program = await readById(c, 'program', findProgram)
 */
export const readById = <Row>(
  c: Request,
  noun: Noun,
  find: (db: Db, workspaceId: string, id: string) => Promise<Row | undefined>,
): Promise<Row> => found(noun, idOf(c), (id) => find(c.var.db, c.var.workspace.id, id))

/**
 * Changes the row of the URL in the name of who sent the request.
 *
 * @throws {ApiError} `not_found`
 * @example const group = await changeById(c, 'group', changeGroup, c.req.valid('json'))
 */
export const changeById = <Details extends unknown[], Outcome>(
  c: Request,
  noun: Noun,
  change: (db: Db, act: Act, id: string, ...details: Details) => Promise<Outcome | undefined>,
  ...details: Details
): Promise<Outcome> => found(noun, idOf(c), (id) => change(c.var.db, actOf(c), id, ...details))

/**
 * Reads a page of a list.
 *
 * @param list    reads one row more than a page has, which shows whether there is a next page
 * @param present turns a row into its response
 * @example c.json(await readPage(c, c.req.valid('query'), listMails, mailResponse))
 */
export const readPage = async <Query extends { limit: number }, Row extends { id: string }, Item>(
  c: Request,
  query: Query,
  list: (db: Db, workspaceId: string, query: Query) => Promise<Row[]>,
  present: (row: Row) => Item,
): Promise<Listed<Item>> => {
  const { limit } = query
  return page(
    await list(c.var.db, c.var.workspace.id, { ...query, limit: limit + 1 }),
    limit,
    present,
  )
}
