CREATE TABLE "redirects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"slug" text,
	"external_id" text,
	"to_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE INDEX "redirects_slug" ON "redirects" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "redirects_external_id" ON "redirects" USING btree ("external_id");--> statement-breakpoint
CREATE INDEX "redirects_to" ON "redirects" USING btree ("to_id");