import type { Context } from 'hono'
import * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { page } from '../../../lib/http/lists.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ConfirmForm } from '../../../lib/pages/forms/buttons.tsx'
import type { FormState } from '../../../lib/pages/forms/fields.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { NextPage } from '../../../lib/pages/tables/table.tsx'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import {
  addNote,
  deleteNote,
  findNote,
  notesQuery,
} from '../../../lib/partners/notes/notes.queries.ts'
import { NewNote } from '../../../lib/partners/notes/notes.schemas.ts'
import { Note, NoteForm, NoteList } from './note-list.tsx'

/** Notes per page: at most 40 kB of text. */
const PER_PAGE = 20

const isId = (text: string | undefined): text is string => z.uuid().safeParse(text).success

const noteOf = (c: Context<WorkspaceEnv>) =>
  found('partner', c.req.param('id') ?? '', (partnerId) =>
    found('note', c.req.param('note') ?? '', (id) =>
      findNote(c.var.db, c.var.workspace.id, partnerId, id),
    ),
  )

/** Renders all notes about a partner, with the rejected form if there is one. */
const showNotes = async (c: Context<WorkspaceEnv>, refused?: FormState) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
  const partner = await readById(c, 'partner', findPartner)
  const cursor = c.req.query('cursor')
  const rows = await notesQuery(db, workspace.id, partner.id, {
    cursor: isId(cursor) ? cursor : undefined,
    limit: PER_PAGE + 1,
  }).execute()
  const { data: notes, nextCursor } = page(rows, PER_PAGE)
  const path = `/app/${workspace.slug}/partners/${partner.id}`
  const name = partner.name ?? partner.email
  const mayWrite = mayOpen(workspace, 'POST /partners/:id/notes')
  const children = (
    <>
      <LinkLine href={path}>{t(m.partners_back_to, { name })}</LinkLine>
      <h1>{t(m.partners_notes_about, { name })}</h1>
      <Problem errors={refused?.errors} />
      {mayWrite && <NoteForm path={path} {...refused} />}
      <NoteList path={path} notes={notes} mayWrite={mayWrite} />
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderSection(
    c,
    '/partners',
    t(m.partners_notes_about, { name }),
    children,
    refused ? 400 : 200,
  )
}

const PATH = '/app/:workspace/partners/:id/notes'

const partnerPath = (c: Context<WorkspaceEnv>) =>
  `/app/${c.var.workspace.slug}/partners/${c.req.param('id')}`

/** /app/:workspace/partners/:id/notes: managers' notes about a partner. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => showNotes(c))
  .post(PATH, form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewNote, { content: fields.content ?? '' })
    if (errors) return showNotes(c, { fields, errors })
    const { content } = data
    const { noteId } = fields
    await found('partner', c.req.param('id'), async (id) => {
      const note = await addNote(c.var.db, actOf(c), id, content, isId(noteId) ? noteId : undefined)
      // After going back, the form may be sent again with another text, which is a new note.
      return note && note.content !== content ? addNote(c.var.db, actOf(c), id, content) : note
    })
    return c.redirect(`${partnerPath(c)}?done=note_added`, 303)
  })
  .get(`${PATH}/:note/delete`, async (c) => {
    const t = textsOf(c)
    const note = await noteOf(c)
    const children = (
      <>
        <h1>{t(m.partners_delete_this_note)}</h1>
        <Note note={note} />
        <ConfirmForm button={t(m.partners_delete_note_title)} cancel={partnerPath(c)} />
      </>
    )
    return renderSection(c, '/partners', m.partners_delete_note_title, children)
  })
  .post(`${PATH}/:note/delete`, async (c) => {
    await found('partner', c.req.param('id'), (partnerId) =>
      found('note', c.req.param('note'), (id) => deleteNote(c.var.db, actOf(c), partnerId, id)),
    )
    return c.redirect(`${partnerPath(c)}?done=note_deleted`, 303)
  })
