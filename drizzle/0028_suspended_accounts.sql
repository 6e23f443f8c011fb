CREATE TABLE "account_notes" (
	"sequence" bigserial PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"who" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "account_notes_text" CHECK (char_length("account_notes"."text") between 1 and 2000)
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "suspension_reason" text;--> statement-breakpoint
CREATE INDEX "account_notes_account" ON "account_notes" USING btree ("account_id","sequence");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_suspension" CHECK (("accounts"."suspended_at" is null) = ("accounts"."suspension_reason" is null));