import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type * as z from 'zod'
import type { SessionEnv } from '../../lib/auth/session.ts'
import { type Listed, page } from '../../lib/http/lists.ts'
import * as m from '../../lib/languages/messages.ts'
import { ProgramFilter, renderPortal } from '../../lib/pages/layout/portal.tsx'
import { noSuchPage } from '../../lib/pages/layout/render.tsx'
import { textsOf } from '../../lib/pages/layout/text.ts'
import { readFilters } from '../../lib/pages/tables/filters.tsx'
import { NextPage } from '../../lib/pages/tables/table.tsx'
import type { PortalFilter } from '../../lib/portal/lists.queries.ts'
import { PORTAL_ROWS, type PortalQuery } from '../../lib/portal/portal.schemas.ts'

type ListQuery = z.output<typeof PortalQuery>
type Found<Row> = { programs: { id: string; name: string }[]; rows: Row[] }

/** One page of a list. */
export type List<Row, Query extends ListQuery = ListQuery> = Listed<Row> & {
  query: Query
  programs: Found<Row>['programs']
  /** Whether rows may belong to several programs, and therefore show theirs. */
  hasManyPrograms: boolean
}

/**
 * Reads the list that the URL asks for.
 *
 * @throws {ApiError} `not_found` for an invalid query, or a program that is not the partner's
 */
export const readList = async <S extends z.ZodType<ListQuery>, Row extends { id: string }>(
  c: Context<SessionEnv>,
  schema: S,
  read: (filter: PortalFilter, query: z.output<S>) => Promise<Found<Row>>,
): Promise<List<Row, z.output<S>>> => {
  const { data: query } = readFilters(c, schema)
  if (!query) throw noSuchPage()
  const filter = { programId: query.program, cursor: query.cursor, limit: PORTAL_ROWS + 1 }
  const { programs, rows } = await read(filter, query)
  if (query.program && !programs.some(({ id }) => id === query.program)) throw noSuchPage()
  return { ...page(rows, PORTAL_ROWS), query, programs, hasManyPrograms: programs.length > 1 }
}

type ListPage<Row> = {
  title: string
  at: NonNullable<Parameters<typeof renderPortal>[1]['at']>
  list: List<Row>
  intro: Child
  empty: string
  children: Child
}

/** Renders the page of a list. */
export const renderList = <Row,>(
  c: Context<SessionEnv>,
  { title, at, list, intro, empty, children }: ListPage<Row>,
) => {
  const { data, nextCursor, query, programs } = list
  return renderPortal(c, {
    title,
    at,
    children: (
      <>
        <h1>{title}</h1>
        {intro}
        <ProgramFilter programs={programs} selected={query.program} path={at} />
        {data.length > 0 ? (
          children
        ) : (
          <p class="empty">{query.cursor ? textsOf(c)(m.no_more_results) : empty}</p>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    ),
  })
}
