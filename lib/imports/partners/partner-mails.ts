/** The details of the mails to new partners. */
import type { MovedDetails, WelcomeDetails } from '../../mail/outbox/details.ts'
import { partnerLink } from '../../values/slugs.ts'
import { type FormerLinkOwner, formerLinkOf, type LinkForms } from './former-links.ts'
import type { NewPartner } from './partner-import.ts'

type Sender = { workspaceName: string; sentBy: string | null; portalUrl: string }

export const welcomeDetails = (
  partner: Pick<NewPartner, 'name' | 'slug'>,
  program: { name: string; siteUrl: string },
  sender: Sender,
): WelcomeDetails => ({
  partnerName: partner.name,
  programName: program.name,
  link: partnerLink(program.siteUrl, partner.slug),
  ...sender,
})

/** Says whether the former link still works. */
export const movedDetails = (
  partner: FormerLinkOwner & Pick<NewPartner, 'name'>,
  program: { name: string; siteUrl: string },
  sender: Sender,
  forms: LinkForms,
): MovedDetails => {
  const formerLink = formerLinkOf(partner, program.siteUrl, forms)
  return { ...welcomeDetails(partner, program, sender), ...(formerLink && { formerLink }) }
}
