import { actOf, reader, writer } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import {
  addNote,
  deleteNote,
  type NoteRow,
  notesQuery,
} from '../../../lib/partners/notes/notes.queries.ts'
import type { NoteResponse } from '../../../lib/partners/notes/notes.responses.ts'
import { NewNote } from '../../../lib/partners/notes/notes.schemas.ts'

const noteResponse = ({ id, content, author, createdAt }: NoteRow): NoteResponse => ({
  id,
  content,
  author,
  createdAt,
})

const PARTNERS = '/api/workspaces/:workspace/partners'

/** The notes of managers about a partner: GET, POST and DELETE /partners/:id/notes. */
export default createRoutes()
  .get(`${PARTNERS}/:id/notes`, reader(), query(Page), async (c) => {
    const { db, workspace } = c.var
    const { cursor, limit } = c.req.valid('query')
    const { id } = await readById(c, 'partner', findPartner)
    const notes = await notesQuery(db, workspace.id, id, { cursor, limit: limit + 1 }).execute()
    return c.json(page(notes, limit, noteResponse))
  })
  .post(`${PARTNERS}/:id/notes`, writer(), body(NewNote), idempotent(), async (c) => {
    const { content } = c.req.valid('json')
    const note = await changeById(c, 'partner', addNote, content)
    return c.json(noteResponse(note), 201)
  })
  .delete(`${PARTNERS}/:id/notes/:noteId`, writer(), async (c) => {
    await found('partner', c.req.param('id'), (partnerId) =>
      found('note', c.req.param('noteId'), (id) => deleteNote(c.var.db, actOf(c), partnerId, id)),
    )
    return c.body(null, 204)
  })
