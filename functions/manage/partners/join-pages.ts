import type { Context } from 'hono'
import type {
  AgreementResponse,
  AgreementsResponse,
  JoinPageResponse,
} from '../../../lib/applications/applications.responses.ts'
import { AgreementQuery, JoinPageChange } from '../../../lib/applications/applications.schemas.ts'
import { MAX_AGREEMENT_VERSION } from '../../../lib/applications/applications.ts'
import {
  findAgreement,
  listAgreements,
  type PublicJoinPage,
  readJoinPage,
  saveJoinPage,
  settingsOf,
} from '../../../lib/applications/join-pages.queries.ts'
import { actOf, freshMember, reader, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { notFound } from '../../../lib/http/found-or-404.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'

const PATH = '/api/workspaces/:workspace/programs/:id'

const findOne = (c: Context<WorkspaceEnv>) => readById(c, 'program', findProgram)

const pageResponse = (
  url: string,
  programId: string,
  page: PublicJoinPage | undefined,
): JoinPageResponse => {
  const { isOpen, ...settings } = settingsOf(page)
  return {
    ...settings,
    url: new URL(`/join/${programId}`, url).href,
    open: isOpen,
    agreement: page?.agreement ?? null,
  }
}

/**
 * /programs/:id/join-page and /programs/:id/agreements: the page on which people apply, and the
 * versions of the terms.
 */
export default createRoutes()
  .get(`${PATH}/join-page`, reader(), async (c) => {
    const { id } = await findOne(c)
    return c.json(pageResponse(c.req.url, id, await readJoinPage(c.var.db, id)))
  })
  .patch(`${PATH}/join-page`, freshMember(), body(JoinPageChange), async (c) => {
    const { id } = await findOne(c)
    const { open: isOpen, ...change } = c.req.valid('json')
    const page = await saveJoinPage(c.var.db, actOf(c), id, { ...change, isOpen })
    if (!page) throw notFound('group')
    return c.json(pageResponse(c.req.url, id, page))
  })
  .get(`${PATH}/agreements`, reader(), query(AgreementQuery), async (c) => {
    const { id } = await findOne(c)
    const { cursor, limit } = c.req.valid('query')
    const rows = await listAgreements(c.var.db, id, { cursor, limit: limit + 1 })
    const data = rows.slice(0, limit)
    const nextCursor = rows.length > limit ? String(data.at(-1)?.version) : null
    return c.json({ data, nextCursor } satisfies AgreementsResponse)
  })
  .get(`${PATH}/agreements/:version`, reader(), async (c) => {
    const { id } = await findOne(c)
    const version = Number(c.req.param('version'))
    const isVersion = Number.isInteger(version) && version >= 1 && version <= MAX_AGREEMENT_VERSION
    const agreement = isVersion ? await findAgreement(c.var.db, id, version) : undefined
    if (!agreement)
      throw new ApiError(
        'not_found',
        'The terms have no such version. List the versions to find it.',
      )
    return c.json({ ...agreement, content: agreement.content || null } satisfies AgreementResponse)
  })
