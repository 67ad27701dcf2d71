/** Calls of imports and their answers: see import_calls in schema/imports.sql. */
import { type RawBuilder, sql } from 'kysely'
import { newId } from '../db/ids.ts'
import { sha256 } from '../platform/sha256.ts'

/** What identifies a call, so that a repeat is recognized. */
export type ImportCall = {
  /** Also the id of its audit entry. */
  id: string
  /** The call's own id if the caller names no import. */
  importId: string
  hash: string
}

/** @param importId names the import of several calls; optional @param body the request body */
export const importCall = async (
  endpoint: 'partners' | 'customers',
  importId: string | null | undefined,
  body: unknown,
): Promise<ImportCall> => {
  const id = newId()
  const hash = importId ? await sha256(`${endpoint}\n${JSON.stringify(body)}`) : ''
  return { id, importId: importId ?? id, hash }
}

/** Deletes rows of sources that name an erased person. */
export const eraseFromSources = (workspaceId: string, addresses: RawBuilder<unknown>) => sql`
  delete from import_source_rows r
  where r.workspace_id = ${workspaceId} and ${names(addresses)}`

/** Whether a row `r` contains one of the addresses, in any case. */
const names = (addresses: RawBuilder<unknown>) => sql`exists (
  select from unnest(${addresses}) a where strpos(lower(r.row::text), lower(to_jsonb(a)::text)) > 0)`

/** Rows of sources that name a person. */
export const listSourceRowsOf = (workspaceId: string, addresses: RawBuilder<unknown>) => sql`
  select r.row from import_source_rows r where r.workspace_id = ${workspaceId} and ${names(addresses)}`

/** Replaces the addresses of an erased person in answers and former customers. */
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

/** Erases from import calls what another platform had paid. `customers` is a subquery of ids. */
export const erasePriors = (workspaceId: string, customers: RawBuilder<unknown>) => sql`
  update import_calls i
  set former = (select jsonb_agg(case when (f ->> 'id')::uuid in ${customers} then f - 'prior' else f end order by place)
                from jsonb_array_elements(i.former) with ordinality u (f, place))
  where i.workspace_id = ${workspaceId}
    and exists (select from jsonb_array_elements(i.former) f where (f ->> 'id')::uuid in ${customers})`
