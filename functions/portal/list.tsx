/** What the lists of the portal have in common: reading what their address asks for, and the page around their rows. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type * as z from 'zod'
import type { SessionEnv } from '../../lib/auth/session.ts'
import { type Listed, page } from '../../lib/http/lists.ts'
import { readFilters } from '../../lib/pages/filters.tsx'
import { NextPage } from '../../lib/pages/parts.tsx'
import { ProgramFilter, renderPortal } from '../../lib/pages/portal.tsx'
import { noSuchPage } from '../../lib/pages/render.tsx'
import type { PortalFilter } from '../../lib/portal/lists.queries.ts'
import { PORTAL_ROWS, type PortalQuery } from '../../lib/portal/portal.schemas.ts'

type Asked = z.output<typeof PortalQuery>
type Found<Row> = { programs: { id: string; name: string }[]; rows: Row[] }

/** A page of a list, as its address asked for it. */
export type List<Row, Query extends Asked = Asked> = Listed<Row> & {
  asked: Query
  programs: Found<Row>['programs']
  /** Whether its rows may be of several programs, so that each has to say of which. */
  isOfMany: boolean
}

/**
 * Reads a list as its address asks for it.
 *
 * @throws {ApiError} `not_found` for what isn't the reader's, and for what nobody can ask for
 */
export const readList = async <S extends z.ZodType<Asked>, Row extends { id: string }>(
  c: Context<SessionEnv>,
  schema: S,
  read: (filter: PortalFilter, asked: z.output<S>) => Promise<Found<Row>>,
): Promise<List<Row, z.output<S>>> => {
  const { data: asked } = readFilters(c, schema)
  if (!asked) throw noSuchPage()
  const filter = { programId: asked.program, cursor: asked.cursor, limit: PORTAL_ROWS + 1 }
  const { programs, rows } = await read(filter, asked)
  if (asked.program && !programs.some(({ id }) => id === asked.program)) throw noSuchPage()
  return { ...page(rows, PORTAL_ROWS), asked, programs, isOfMany: programs.length > 1 }
}

type ListPage<Row> = {
  title: string
  at: Parameters<typeof renderPortal>[1]['at']
  list: List<Row>
  intro: Child
  /** What stands there when there are no rows at all. */
  empty: string
  /** The table of the rows. */
  children: Child
}

/** Answers with the page of a list. */
export const renderList = <Row,>(
  c: Context<SessionEnv>,
  { title, at, list, intro, empty, children }: ListPage<Row>,
) => {
  const { data, nextCursor, asked, programs } = list
  return renderPortal(c, {
    title,
    at,
    children: (
      <>
        <h1>{title}</h1>
        {intro}
        <ProgramFilter programs={programs} selected={asked.program} path={at} />
        {data.length > 0 ? children : <p class="empty">{asked.cursor ? 'There are no more.' : empty}</p>}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    ),
  })
}
