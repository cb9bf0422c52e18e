import { mailTextsIn } from "../../../entities/mail-texts.ts";
import { writeMail } from "../../../entities/mails.ts";
import { Refusal } from "../../../errors.ts";
import { MailError } from "../../../lib/mail/mailer.ts";
import { command, argument } from "../../command.ts";
import { withData } from "../../data-folder.ts";

export const commands = {
  "mail test": command({
    summary: "Sends a test e-mail with the settings LINNET_SMTP_URL and LINNET_SMTP_FROM",
    args: { address: argument("the e-mail address that gets it") },
    run: ({ address }) => sendTest(address),
  }),
};

/** Sends it from this process, so that the settings can be tried before the server is restarted with them. */
async function sendTest(address: string): Promise<void> {
  await withData(async (ctx) => {
    if (!ctx.mailer) {
      throw new Refusal("conflict", "This server sends no e-mails. Set LINNET_SMTP_URL and LINNET_SMTP_FROM first.");
    }
    const texts = mailTextsIn(ctx.config.languages[0]!);
    const name = address.split("@", 1)[0]!;
    try {
      await ctx.mailer.send(writeMail(ctx, { address, name }, texts, texts.test(), null));
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      const said = error.response === "" ? "" : ` It said: ${error.response}`;
      throw new Refusal("unavailable", `The e-mail was not sent: ${error.message}.${said}`);
    }
    console.log(
      `${ctx.mailer.server} accepted the e-mail to ${address}. If it doesn't arrive, look in its spam folder.`,
    );
  });
}
