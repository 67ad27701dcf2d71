/** The notes about a partner, and the form that adds one. */
import type { Child } from 'hono/jsx'
import { newId } from '../../lib/db/ids.ts'
import type { FormState } from '../../lib/pages/fields.tsx'
import { TextArea } from '../../lib/pages/fields.tsx'
import { Time } from '../../lib/pages/parts.tsx'
import type { NoteRow } from '../../lib/workspace/notes.queries.ts'
import { MAX_NOTE_LENGTH } from '../../lib/workspace/notes.schemas.ts'

/** What a note says, and who wrote it when. */
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
  /** The path of the partner's page. */
  path: string
  notes: NoteRow[]
  isManager: boolean
}

export const NoteList = ({ path, notes, isManager }: Props) =>
  notes.length === 0 ? (
    <p class="empty">No notes yet.</p>
  ) : (
    <ul class="notes">
      {notes.map((note) => (
        <li>
          <Note note={note}>
            {isManager && (
              <>
                {' · '}
                <a href={`${path}/notes/${note.id}/delete`}>
                  Delete<span class="hidden"> the note of {note.createdAt.toISOString()}</span>
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
      label="New note"
      name="content"
      hint="Only members of this workspace see it. The partner gets it when it asks for its personal data."
      required
      maxlength={MAX_NOTE_LENGTH}
      value={fields?.content}
      errors={errors}
    />
    <p>
      <button type="submit">Add note</button>
    </p>
  </form>
)

/** On the partner's page. @param children below the list */
export const NotesSection = ({ children, ...props }: Props & { children?: Child }) => (
  <section>
    <h2 id="notes">Notes</h2>
    <NoteList {...props} />
    {children}
    {props.isManager && <NoteForm path={props.path} />}
  </section>
)
