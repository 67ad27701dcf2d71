/** Calls of imports, and their answers: see import_calls in schema.sql. */
import { type RawBuilder, sql } from 'kysely'
import { newId } from '../db/ids.ts'
import { sha256 } from '../platform/sha256.ts'

/** A call, as a repeat of it is recognized. */
export type ImportCall = {
  /** Also of its entry in the audit log. */
  id: string
  /** Its own id if the caller named no import. */
  importId: string
  hash: string
}

/**
 * @param importId what the caller's calls for one file have in common, if it says so
 * @param body all that the caller sent
 */
export const importCall = async (
  endpoint: 'partners' | 'customers',
  importId: string | null | undefined,
  body: unknown,
): Promise<ImportCall> => {
  const id = newId()
  const hash = importId ? await sha256(`${endpoint}\n${JSON.stringify(body)}`) : ''
  return { id, importId: importId ?? id, hash }
}

/** Deletes what was read of an erased person from another platform, and is not imported yet. */
export const eraseFromSources = (workspaceId: string, addresses: RawBuilder<unknown>) => sql`
  delete from import_source_rows r
  where r.workspace_id = ${workspaceId} and ${names(addresses)}`

/** Whether a row (`r`) has one of the addresses, as the platform writes it. */
const names = (addresses: RawBuilder<unknown>) => sql`exists (
  select from unnest(${addresses}) a where strpos(lower(r.row::text), lower(to_jsonb(a)::text)) > 0)`

/** What was read of a person from another platform, and is not imported yet. */
export const listSourceRowsOf = (workspaceId: string, addresses: RawBuilder<unknown>) => sql`
  select r.row from import_source_rows r where r.workspace_id = ${workspaceId} and ${names(addresses)}`

/** Replaces the addresses of an erased person in the answers, and in what customers were before. */
export const eraseFromImports = (
  workspaceId: string,
  addresses: RawBuilder<unknown>,
  marks: RawBuilder<unknown>,
) => sql`
  update import_calls c
  set answer = erase_texts(c.answer, ${addresses}, ${marks}), former = erase_texts(c.former, ${addresses}, ${marks}),
      made_emails = erase_list(c.made_emails, ${addresses}, ${marks}), made_slugs = erase_list(c.made_slugs, ${addresses}, ${marks})
  where c.workspace_id = ${workspaceId}
    and (erase_texts(c.answer, ${addresses}, ${marks}), erase_texts(c.former, ${addresses}, ${marks}),
         erase_list(c.made_emails, ${addresses}, ${marks}), erase_list(c.made_slugs, ${addresses}, ${marks}))
        <> (c.answer, c.former, c.made_emails, c.made_slugs)`

/**
 * What another platform paid for customers who are erased, as it was before an import changed it.
 *
 * @param customers a subquery of their ids
 */
export const erasePriors = (workspaceId: string, customers: RawBuilder<unknown>) => sql`
  update import_calls i
  set former = (select jsonb_agg(case when (f ->> 'id')::uuid in ${customers} then f - 'prior' else f end order by place)
                from jsonb_array_elements(i.former) with ordinality u (f, place))
  where i.workspace_id = ${workspaceId}
    and exists (select from jsonb_array_elements(i.former) f where (f ->> 'id')::uuid in ${customers})`
