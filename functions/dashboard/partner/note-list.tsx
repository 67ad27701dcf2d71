import type { Child } from 'hono/jsx'
import { newId } from '../../../lib/db/ids.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import type { FormState } from '../../../lib/pages/forms/fields.tsx'
import { TextArea } from '../../../lib/pages/forms/fields.tsx'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import type { NoteRow } from '../../../lib/partners/notes/notes.queries.ts'
import { MAX_NOTE_LENGTH } from '../../../lib/partners/notes/notes.schemas.ts'

/** A note's text, author and time. */
export const Note = ({ note, children }: { note: NoteRow; children?: Child }) => (
  <>
    <p class="written">{note.content}</p>
    <p class="hint">
      {note.author}, <Time at={note.createdAt} />
      {children}
    </p>
  </>
)

type Props = {
  path: string
  notes: NoteRow[]
  mayWrite: boolean
}

export const NoteList = ({ path, notes, mayWrite }: Props) =>
  notes.length === 0 ? (
    <p class="empty">{t(m.partners_no_notes_yet)}</p>
  ) : (
    <ul class="notes">
      {notes.map((note) => (
        <li>
          <Note note={note}>
            {mayWrite && (
              <>
                {' · '}
                <a href={`${path}/notes/${note.id}/delete`}>
                  {t(m.partners_delete_note, { time: note.createdAt.toISOString(), hidden })}
                </a>
              </>
            )}
          </Note>
        </li>
      ))}
    </ul>
  )

/** A form that is submitted twice adds one note. */
export const NoteForm = ({ path, fields, errors }: { path: string } & Partial<FormState>) => (
  <form method="post" action={`${path}/notes`}>
    <input type="hidden" name="noteId" value={fields?.noteId ?? newId()} />
    <TextArea
      label={t(m.partners_new_note)}
      name="content"
      hint={t(m.partners_only_members_workspace)}
      required
      maxlength={MAX_NOTE_LENGTH}
      value={fields?.content}
      errors={errors}
    />
    <Submit>{t(m.partners_add_note)}</Submit>
  </form>
)

/** On the partner's page. @param children below the list */
export const NotesSection = ({ children, ...props }: Props & { children?: Child }) => (
  <section>
    <h2 id="notes">{t(m.partners_notes)}</h2>
    <NoteList {...props} />
    {children}
    {props.mayWrite && <NoteForm path={props.path} />}
  </section>
)
