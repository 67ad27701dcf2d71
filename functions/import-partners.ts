import { failuresByRole, requireRoleOf } from '../lib/auth/access.ts'
import { requireFreshSignIn } from '../lib/auth/fresh-sign-in.ts'
import { session } from '../lib/auth/session.ts'
import { newId, newSlugSuffix } from '../lib/db/ids.ts'
import { createApp } from '../lib/http/app.ts'
import { ApiError } from '../lib/http/errors.ts'
import { notFound } from '../lib/http/found-or-404.ts'
import { noteForLog } from '../lib/http/logging.ts'
import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/rpc/nudge.service.ts'
import { body } from '../lib/http/validate.ts'
import { importCall } from '../lib/imports/import-calls.queries.ts'
import type { PartnerImportResponse } from '../lib/imports/imports.responses.ts'
import { IMPORT_MAX_BYTES, limitRows, PartnerImport } from '../lib/imports/imports.schemas.ts'
import {
  formsOf,
  type LinkForms,
  unconfirmedMessage,
} from '../lib/imports/partners/former-links.ts'
import { findGroups } from '../lib/imports/partners/groups.ts'
import { readLinkForms, saveLinkForms } from '../lib/imports/partners/link-forms.queries.ts'
import {
  importNewPartners,
  listGroupNames,
  loadPartnerImport,
  savePartnerImport,
} from '../lib/imports/partners/partner-import.queries.ts'
import {
  decidePartnerImport,
  isPartnerRow,
  MAX_PARTNER_ROWS,
  NOTHING_EXISTS,
  type PartnerImportFacts,
} from '../lib/imports/partners/partner-import.ts'
import { movedDetails } from '../lib/imports/partners/partner-mails.ts'
import { readPartnerRow } from '../lib/imports/rows.schemas.ts'
import { importUndone } from '../lib/imports/undo.service.ts'
import { lostRace } from '../lib/platform/unavailable.ts'
import { SHADOW_REFUSAL } from '../lib/rules/programs/mode.ts'

/**
 * Attempts. Of concurrent imports of the same partners, one succeeds per attempt: ten imports all
 * succeed.
 */
const ROUNDS = 10

/** POST /api/workspaces/:workspace/partners/import: creates partners and their slugs. Spec, 4.3. */
export default createApp<NudgeEnv<'OUTBOX' | 'WEBHOOKS'>['Bindings']>()
  .use(nudgeAfterChanges('OUTBOX', 'WEBHOOKS'))
  .post(
    '/api/workspaces/:workspace/partners/import',
    session(),
    failuresByRole(),
    body(PartnerImport, { maxBytes: IMPORT_MAX_BYTES, precheck: limitRows(MAX_PARTNER_ROWS) }),
    async (c) => {
      const request = c.req.valid('json')
      const { programId, options, rows: input } = request
      const { db, now, user } = c.var
      const sendWelcomeEmail = options?.sendWelcomeEmail ?? false
      const importOpeningBalances = options?.importOpeningBalances ?? false
      const completeExisting = options?.completeExisting ?? false
      const rows = input.map((row) => readPartnerRow(row, importOpeningBalances))
      const good = rows.filter(isPartnerRow)
      const target = { address: c.req.param('workspace'), email: user.email, programId }
      const portalUrl = new URL('/portal', c.req.url).href
      const said = options?.linkForms
      const hasFormerLinks = good.some(({ formerLink }) => formerLink !== null)

      const decide = (facts: PartnerImportFacts) => {
        const { newPartners, newGroups, completed, warnings, ...decided } = decidePartnerImport(
          rows,
          facts,
          newSlugSuffix,
          completeExisting,
        )
        const answer: PartnerImportResponse = {
          ...decided,
          ...(warnings.length > 0 && { warnings }),
        }
        const details = {
          rows: rows.length,
          ...decided.summary,
          sendWelcomeEmail,
          importOpeningBalances,
          ...(newGroups.length > 0 && { groupsCreated: newGroups.map(({ name }) => name) }),
        }
        return {
          partners: newPartners,
          newGroups,
          completed,
          answer,
          audit: { actor: user.email, details },
        }
      }
      const saves = !options?.dryRun && rows.length > 0
      if (saves) requireFreshSignIn(c.var.signedInAt, now)
      const call = saves ? await importCall('partners', request.importId, request) : null

      // Most imports are of new partners. The first attempt therefore does not look for existing
      // partners. It reports those that conflict.
      const namesGroups = good.some(({ group }) => group !== null)
      const guess =
        call && !sendWelcomeEmail && !importOpeningBalances && !said && !namesGroups
          ? { ...decide(NOTHING_EXISTS), call }
          : null
      const isOneEach = guess?.partners.length === good.length
      const tried =
        guess && isOneEach
          ? await importNewPartners(db, { ...guess, target, role: 'manager', now })
          : null
      if (guess && tried?.isSaved) return c.json(guess.answer)

      let loaded = tried ?? (await loadPartnerImport(db, target, good, call))
      for (let round = 0; round < ROUNDS; round++) {
        noteForLog(c, { workspaceId: loaded.workspace?.id })
        const workspace = requireRoleOf(c, loaded.workspace)
        const { program } = loaded
        if (!program) throw notFound('program')
        if (loaded.isUndone) throw importUndone()
        if (program.mode === 'shadow' && importOpeningBalances)
          throw new ApiError('conflict', SHADOW_REFUSAL)
        if (loaded.answer) return c.json(loaded.answer, 200, { 'Idempotent-Replayed': 'true' })

        const sender = { workspaceName: workspace.name, sentBy: user.email, portalUrl }
        const groups = findGroups(
          good,
          namesGroups ? await listGroupNames(db, workspace.id, programId) : [],
          options?.createGroups ? newId : null,
        )
        const { partners, newGroups, completed, answer, audit } = decide({
          ...loaded.facts,
          groups,
        })
        const known =
          hasFormerLinks && (!call || sendWelcomeEmail)
            ? (await readLinkForms(db, workspace.id, [programId])).get(programId)
            : undefined
        const forms: LinkForms = new Map([...(known ?? []), ...Object.entries(said ?? {})])
        const links = formsOf(partners, program.siteUrl, forms)
        if (!call) return c.json({ ...answer, ...(links.length > 0 && { linkForms: links }) })
        const unconfirmed = links.filter(({ works }) => works === null)
        if (sendWelcomeEmail && unconfirmed.length > 0)
          throw new ApiError('links_unconfirmed', unconfirmedMessage(unconfirmed))
        if (said) {
          await saveLinkForms(
            db,
            { workspaceId: workspace.id, actor: user.email, now },
            programId,
            said,
          )
        }

        const saved = await savePartnerImport(db, {
          workspaceId: workspace.id,
          programId,
          partners: partners.map((partner) => ({
            ...partner,
            mail: sendWelcomeEmail ? movedDetails(partner, program, sender, forms) : null,
          })),
          newGroups,
          completed,
          notice: {
            workspaceName: workspace.name,
            programName: program.name,
            url: new URL(`/app/${workspace.slug}/audit`, c.req.url).href,
          },
          audit,
          call,
          answer,
          now,
        })
        if (saved) return c.json(answer)
        loaded = await loadPartnerImport(db, target, good, call)
      }
      throw lostRace('the partners of this import')
    },
  )
