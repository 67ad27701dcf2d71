import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import {
  cancelDeletion,
  type Deletion,
  readDeletion,
  scheduleDeletion,
} from '../../../lib/people/deletion.queries.ts'
import { deletionTime, UNDER_WAY } from '../../../lib/people/deletion.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { DeletionPage } from './deletion-page.tsx'

const PATH = '/app/:workspace/deletion'

const DONE = {
  scheduled: m.settings_deletion_scheduled_notice,
  canceled: m.settings_deletion_canceled_notice,
}

const show = (
  c: Context<WorkspaceEnv>,
  deletion: Deletion,
  problem?: string,
  status: 200 | 400 | 409 = 200,
) => {
  const done = noticeFor(DONE, c.req.query('done'))
  const children = (
    <DeletionPage workspace={c.var.workspace} deletion={deletion} {...{ problem, done }} />
  )
  return renderSection(c, '/settings', m.settings_deletion_title, children, status)
}

/** /app/:workspace/deletion: schedules or cancels the deletion of the workspace. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => show(c, await readDeletion(c.var.db, c.var.workspace.id)))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const t = textsOf(c)
    const { db, now, workspace } = c.var
    if (c.req.valid('form').slug?.trim() !== workspace.slug) {
      const deletion = await readDeletion(db, workspace.id)
      return show(c, deletion, t(m.settings_type_slug, { slug: workspace.slug }), 400)
    }
    const deletesAt = deletionTime(now)
    const url = new URL(`/app/${workspace.slug}/deletion`, c.req.url).href
    const deletion = await scheduleDeletion(db, actOf(c), { deletesAt, url })
    if (deletion.deletesAt === null && deletion.underWay)
      return show(c, deletion, UNDER_WAY[deletion.underWay], 409)
    return c.redirect(`/app/${workspace.slug}/deletion?done=scheduled`, 303)
  })
  .post(`${PATH}/cancel`, async (c) => {
    const { db, workspace } = c.var
    await cancelDeletion(db, actOf(c), new URL(`/app/${workspace.slug}`, c.req.url).href)
    return c.redirect(`/app/${workspace.slug}/deletion?done=canceled`, 303)
  })
