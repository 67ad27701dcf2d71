/** Requests about notes on partners, for the API and the page's form. */
import * as z from 'zod'
import { writtenText } from '../../http/fields.ts'

/** As partner_notes_content_check: about a page. */
export const MAX_NOTE_LENGTH = 2_000

/** POST /api/workspaces/:workspace/partners/:id/notes */
export const NewNote = z
  .strictObject({
    content: writtenText(MAX_NOTE_LENGTH).meta({ description: 'Line breaks are kept.' }),
  })
  .meta({ id: 'NewNote' })
