import { render } from "preact";
import { Shell } from "./shell/Shell";

const page = document.createElement("div");
page.id = "page";
document.body.append(page);
render(<Shell />, page);
