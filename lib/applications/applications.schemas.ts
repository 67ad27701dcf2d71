/** The forms of applications and of the page on which people apply. */
import * as z from 'zod'
import { email, line, NOT_BLANK, optional } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { readEmail } from '../values/emails.ts'
import { MAX_ID_LENGTH } from '../values/external-ids.ts'
import {
  APPLICATION_STATUSES,
  MAX_AGREEMENT_LENGTH,
  MAX_AGREEMENT_VERSION,
  MAX_INVITED,
  MAX_QUESTIONS,
  MAX_TEXT_LENGTH,
} from './applications.ts'

/** Text of several lines, possibly empty. Forms end lines with CR and LF, the API with LF. */
const paragraphs = (most = MAX_TEXT_LENGTH) =>
  z
    .string('Must be a string.')
    .transform((typed) => typed.replace(/\r\n?/g, '\n').trim())
    .pipe(z.string().max(most, `Must have at most ${most.toLocaleString('en')} characters.`))

const answer = paragraphs().refine((text) => text !== '', NOT_BLANK)

const site = z
  .string()
  .trim()
  .max(MAX_TEXT_LENGTH)
  .refine(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
    'Must be a URL, such as https://example.com.',
  )
  .nullable()

/**
 * An application. An invited person enters only a name.
 *
 * @param questions    the number of questions on the page
 * @param hasAgreement whether there are terms to accept
 */
export const NewApplication = (isInvited: boolean, questions: number, hasAgreement: boolean) =>
  z.object({
    name: line(MAX_ID_LENGTH).min(1, NOT_BLANK),
    siteUrl: site,
    promotion: isInvited ? paragraphs() : answer,
    ...Object.fromEntries(
      Array.from({ length: questions }, (_, index) => [`answer${index}`, answer]),
    ),
    ...(hasAgreement && { accepts: z.literal('on', 'Accept the terms to apply.') }),
  })

const flag = z.boolean('Must be true or false.')
const groupId = z.uuid('Must be the id of a group.').toLowerCase()

/** The settings of the page. */
const settings = {
  intro: paragraphs().meta({
    description: 'What you say about the program. The page adds the reward in words.',
  }),
  questions: z
    .array(line(MAX_ID_LENGTH).min(1, NOT_BLANK))
    .max(MAX_QUESTIONS, `Ask at most ${MAX_QUESTIONS} questions.`)
    .meta({
      description:
        'What the form asks in addition to a name, a site and how the person will promote you.',
    }),
  approves: flag.meta({ description: 'Whether applications are approved automatically.' }),
  groupId: groupId
    .nullable()
    .meta({ description: 'The group of partners who are approved automatically; null for none.' }),
  agreement: paragraphs(MAX_AGREEMENT_LENGTH)
    .nullable()
    .transform((text) => text ?? '')
    .meta({
      description:
        'The terms that partners accept; null for none. A changed text is a new version.',
    }),
}

export const JoinPageForm = z.object({ isOpen: flag, ...settings })

/** PATCH /api/workspaces/:workspace/programs/:id/join-page. Omitted fields keep their values. */
export const JoinPageChange = z
  .strictObject({
    open: flag.meta({ description: 'Whether the page takes applications.' }),
    ...settings,
  })
  .partial()
  .meta({ id: 'JoinPageChange' })

/** GET /api/workspaces/:workspace/programs/:id/agreements: a version is the cursor. */
export const AgreementQuery = Page.extend({
  cursor: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_AGREEMENT_VERSION)
    .optional()
    .meta({ description: 'The `nextCursor` of the previous page.' }),
})

/** The filters of GET /api/workspaces/:workspace/applications, and of the page. */
export const ApplicationQuery = z.object({
  programId: z.uuid().optional(),
  status: z.enum(APPLICATION_STATUSES).optional(),
  ...Page.shape,
})

/** Addresses, separated by line breaks or commas. */
const addresses = z
  .string()
  .transform((text) => [...new Set(text.split(/[\s,;]+/).filter(Boolean))])
  .pipe(
    z
      .array(z.string())
      .min(1, 'Enter at least one address.')
      .max(MAX_INVITED, `Invite at most ${MAX_INVITED} people at once.`),
  )
  .transform((texts, context) => {
    const read = texts.map((text) => ({ text, email: readEmail(text) }))
    const wrong = read.find(({ email }) => !email)
    if (wrong)
      context.addIssue({
        code: 'custom',
        message: `“${wrong.text.slice(0, 100)}” is not an email address.`,
      })
    return [...new Set(read.flatMap(({ email }) => email ?? []))]
  })

export const InvitationForm = z.object({
  programId: z.uuid('Must be the id of a program.').toLowerCase(),
  groupId: groupId.nullable(),
  emails: addresses,
})

/** POST /api/workspaces/:workspace/invitations */
export const NewInvitations = z
  .strictObject({
    programId: z.uuid('Must be the id of a program.').toLowerCase(),
    groupId: optional(groupId).meta({
      description: 'The group of the people who accept. It must be of the program.',
    }),
    emails: z
      .array(email('Somebody to invite.'))
      .min(1, 'Enter at least one address.')
      .max(MAX_INVITED, `Invite at most ${MAX_INVITED} people at once.`)
      .transform((all) => [...new Set(all)]),
  })
  .meta({ id: 'NewInvitations' })

/** POST /api/workspaces/:workspace/applications/:id/approve, and the page’s form. */
export const Approval = z
  .strictObject({
    groupId: optional(groupId).meta({
      description:
        'The group of the new partner. It must be of the program. Default: the group of the invitation.',
    }),
  })
  .meta({ id: 'Approval' })

/** POST /api/workspaces/:workspace/applications/:id/reject, and the page’s form. */
export const Rejection = z
  .strictObject({
    reason: optional(paragraphs())
      .transform((text) => text || null)
      .meta({ description: 'Kept with the application, and in the mail.' }),
    block: optional(z.boolean('Must be true or false.'))
      .transform((value) => value ?? false)
      .meta({
        description: 'Whether the person can’t apply to the program again.',
        default: false,
      }),
    sendEmail: optional(z.boolean('Must be true or false.'))
      .transform((value) => value ?? false)
      .meta({ description: 'Whether the person gets an email, with the reason.', default: false }),
  })
  .meta({ id: 'Rejection' })
